"""One schema in keywords that a provider takes, at every level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from toolsearch_hookspecs import SurfaceLimits

from ..schemas import MANY, NAMED, ONE, type_meant

_OF_THE_DOCUMENT = frozenset(
    {"$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor"}
    | {"$recursiveRef", "$schema", "$vocabulary", "definitions", "dependencies", "id", "$defs"}
)
_COUNTS = frozenset({"maxItems", "maxLength", "maxProperties", "minItems", "minLength"})
_CONDITIONS = frozenset({"if", "not"})
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


@define
class Legal:
    """Rewrites a schema without references into what `limits` takes.

    What is rewritten takes at least what the schema takes: the host validates arguments against
    the tool's own schema. So `oneOf` becomes `anyOf`, and a condition stays only where it says
    just what it said. `left_out` are the keywords that were lost on the way.
    """

    limits: SurfaceLimits
    left_out: set[str] = field(factory=set)

    def schema(self, node: Any) -> dict[str, Any]:
        """One schema; recursion is as deep as the schema, which was bounded before."""
        if not isinstance(node, Mapping):
            return self._nothing() if node is False else {}
        node = self._in_todays_words(node)
        legal: dict[str, Any] = {}
        for key, value in node.items():
            if not self._takes(key, value):
                continue
            known, given = self._keyword(key, value)
            if key in _CONDITIONS and given != value:
                known = False
                self.left_out.add(key)
            if known:
                legal[key] = given
        if self.limits.keywords is not None and "required" in legal:
            legal.setdefault("properties", {})
        if "if" not in legal:
            legal.pop("then", None)
            legal.pop("else", None)
        return _whole(legal)

    def _nothing(self) -> dict[str, Any]:
        return {"not": {}} if self._has("not") else {}

    def _has(self, keyword: str) -> bool:
        return self.limits.keywords is None or keyword in self.limits.keywords

    def _takes(self, key: str, value: Any) -> bool:
        if key in _OF_THE_DOCUMENT or value is None:
            return False
        if key.startswith("x-") or not self._has(key):
            self.left_out.add(key)
            return False
        if key == "format" and self.limits.formats is not None and value not in self.limits.formats:
            self.left_out.add(f"format {value}" if isinstance(value, str) else key)
            return False
        return True

    def _keyword(self, key: str, value: Any) -> tuple[bool, Any]:
        """Whether the keyword can stand, and with which value."""
        match key, value:
            case _, Mapping() if key in NAMED:
                return True, {str(name): self.schema(part) for name, part in value.items()}
            case _, Mapping() if key in ONE:
                return True, self.schema(value)
            case _, bool() if key in ONE:
                return key != "items", value
            case _, [_, *_] if key in MANY:
                return True, [self.schema(part) for part in value]
            case "type", _:
                return self._type(value)
            case "required", [*names]:
                kept = list(dict.fromkeys(name for name in names if isinstance(name, str)))
                return bool(kept), kept
            case "enum", [_, *_]:
                return True, list(value)
            case "description" | "title", str():
                return bool(value), value
            case (("description" | "title" | "required" | "enum"), _):
                return False, None
            case _ if key in ONE or key in MANY or key in NAMED:
                self.left_out.add(key)
                return False, None
            case _ if key in _COUNTS | _BOUNDS.keys():
                return isinstance(value, int | float) and not isinstance(value, bool), value
            case _:
                return True, value

    def _type(self, value: Any) -> tuple[bool, Any]:
        match value:
            case str():
                kind = type_meant(value)
                return kind is not None, kind
            case [*listed]:
                kinds = list(dict.fromkeys(type_meant(each) for each in listed))
                if None in kinds or not kinds:
                    return False, None
                return True, kinds[0] if len(kinds) == 1 else kinds
            case _:
                return False, None

    def _in_todays_words(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """Older drafts' words, and words that the provider lacks, in others that say the same."""
        said = dict(node)
        while "allOf" in said and not self._has("allOf"):
            said = _united(said)
        for exclusive, plain in _BOUNDS.items():
            if said.get(exclusive) is True and plain in said:
                said[exclusive] = said.pop(plain)
            if exclusive in said and not self._has(exclusive):
                said.setdefault(plain, said[exclusive])
        if isinstance(said.get("items"), list):
            said["prefixItems"] = said.pop("items")
            if isinstance(rest := said.pop("additionalItems", None), Mapping | bool):
                said["items"] = rest
        if "const" in said and not self._has("const"):
            said.setdefault("enum", [said["const"]])
        if "oneOf" in said:
            one_of = said.pop("oneOf")
            if "anyOf" not in said:
                said["anyOf"] = one_of
            elif self._has("allOf"):
                said["allOf"] = [*_listed(said.get("allOf")), {"anyOf": one_of}]
        return said


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _united(node: dict[str, Any]) -> dict[str, Any]:
    """The parts of `allOf` laid over each other; of a keyword said twice the first is kept."""
    parts = node.pop("allOf")
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, Mapping):
            continue
        for key, value in part.items():
            match node.get(key), value:
                case Mapping() as known, Mapping() if key == "properties":
                    node[key] = {**value, **known}
                case [*known], [*more] if key == "required":
                    node[key] = [*known, *more]
                case None, _:
                    node[key] = value
    return node


def _whole(legal: dict[str, Any]) -> dict[str, Any]:
    """With what keywords need of each other: required properties are among those that are
    described, an array says what it holds.
    """
    kinds = legal.get("type")
    if "required" in legal and "properties" in legal:
        legal["required"] = [name for name in legal["required"] if name in legal["properties"]]
        if not legal["required"]:
            del legal["required"]
    is_array = kinds == "array" or (isinstance(kinds, list) and "array" in kinds)
    if is_array and not legal.keys() & {"items", "prefixItems"}:
        legal["items"] = {}
    return legal
