"""A schema as a model's provider is sent it: JSON Schema in every keyword, or the whole request is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field, frozen

from ..text import one_line
from ._dialects import Dialect, dialect_of
from ._keywords import MANY, NAMED, ONE
from ._well_formed import COUNTS, TYPES, WELL_FORMED, WITH_LISTS_OF_ITEMS, is_list, is_number

_MEANT = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "none": "null",
    "str": "string",
    "text": "string",
}
_TRUE_OR_FALSE = frozenset({"additionalItems", "additionalProperties"})
_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_HOLDING = ONE | MANY | NAMED
_MOST_SAID = 8


@frozen
class Mended:
    """A schema without what is no JSON Schema, and where that was; the schema given where there
    was nothing of it.
    """

    schema: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def type_meant(name: Any) -> str | None:
    """The type that a word means, of JSON Schema or of a language; None where it means none."""
    if not isinstance(name, str):
        return None
    word = name.lower()
    return word if word in TYPES else _MEANT.get(word)


def mended(schema: Mapping[str, Any]) -> Mended:
    """Leave out each keyword whose value is none, or say it in the words of its draft.

    What is sent takes at least what the schema takes: arguments are validated against the tool's
    own. No schema that is JSON is too odd or too deep for this.
    """
    mending = _Mending(dialect_of(schema.get("$schema")) or Dialect.DRAFT_2020_12)
    if mending.is_sound(schema):
        return Mended(schema)
    whole = mending.whole(schema)
    return Mended(whole, tuple(mending.notes))


@define
class _Mending:
    dialect: Dialect
    notes: list[str] = field(factory=list)

    def is_sound(self, schema: Mapping[str, Any]) -> bool:
        """Whether there is nothing to mend; on the way of every schema that is shown."""
        open_: list[Any] = [schema]
        while open_:
            node = open_.pop()
            if isinstance(node, bool) and self.dialect is not Dialect.DRAFT_4:
                continue
            if not isinstance(node, Mapping) or self._is_lone(node):
                return False
            for key, value in node.items():
                check = WELL_FORMED.get(key)
                if check is not None and not check(value, self.dialect):
                    return False
                if key in _HOLDING:
                    open_.extend(_inside(key, value))
        return True

    def _is_well_formed(self, key: str, value: Any) -> bool:
        check = WELL_FORMED.get(key)
        return check is None or check(value, self.dialect)

    def _is_lone(self, node: Mapping[str, Any]) -> bool:
        """Whether a mark of draft 4 stands without the number that it is of."""
        return self.dialect is Dialect.DRAFT_4 and any(
            exclusive in node and not is_number(node.get(plain))
            for exclusive, plain in _EXCLUSIVE.items()
        )

    def whole(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The schema rebuilt from its sound parts, without recursion."""
        root: dict[str, Any] = {}
        open_: list[tuple[Mapping[str, Any], dict[str, Any], str]] = [(schema, root, "")]
        while open_:
            node, made, at = open_.pop()
            for key, value in self._in_todays_words(node, at).items():
                given = value if self._is_well_formed(key, value) else self._meant(key, value, at)
                if given is not None or key not in WELL_FORMED:
                    made[key] = self._opened(key, given, f"{at}/{key}", open_)
        return root

    def _opened(self, key: str, value: Any, at: str, open_: list[Any]) -> Any:
        """The value with its schemas replaced by ones that are filled later."""

        def later(inner: Any, place: str) -> Any:
            if isinstance(inner, bool):
                if self.dialect is not Dialect.DRAFT_4 or key in _TRUE_OR_FALSE:
                    return inner
                inner = {} if inner else {"not": {}}
            if not isinstance(inner, Mapping):
                self._say(place, "no schema")
                return {}
            made: dict[str, Any] = {}
            open_.append((inner, made, place))
            return made

        if key not in _HOLDING:
            return value
        if isinstance(value, Mapping) and key in NAMED:
            may_be_names = key == "dependencies"
            return {
                name: inner if may_be_names and is_list(inner) else later(inner, f"{at}/{name}")
                for name, inner in value.items()
            }
        if isinstance(value, list | tuple):
            return [later(inner, f"{at}/{number}") for number, inner in enumerate(value)]
        return later(value, at)

    def _in_todays_words(self, node: Mapping[str, Any], at: str) -> Mapping[str, Any]:
        """Forms of older drafts in those of the schema's own."""
        said = dict(node)
        if isinstance(said.get("items"), list) and self.dialect not in WITH_LISTS_OF_ITEMS:
            self._say(f"{at}/items", "a list, sent as prefixItems")
            said.setdefault("prefixItems", said.pop("items"))
            said.pop("items", None)
            if isinstance(rest := said.pop("additionalItems", None), Mapping | bool):
                said["items"] = rest
        for exclusive, plain in _EXCLUSIVE.items():
            if self.dialect is Dialect.DRAFT_4:
                if exclusive in said and not is_number(said.get(plain)):
                    self._say(f"{at}/{exclusive}", f"without {plain}, left out")
                    del said[exclusive]
            elif isinstance(said.get(exclusive), bool):
                self._say(f"{at}/{exclusive}", "true or false, sent as a number where one is meant")
                if said.pop(exclusive) and is_number(said.get(plain)):
                    said[exclusive] = said.pop(plain)
        return said

    def _meant(self, key: str, value: Any, at: str) -> Any:
        """What a malformed value clearly means; None where it is left out."""
        match key, value:
            case "type", str():
                meant: Any = type_meant(value)
            case "type", [*listed]:
                kinds = dict.fromkeys(map(type_meant, listed))
                meant = None if None in kinds or not kinds else list(kinds)
            case "required", [*names]:
                kept = list(dict.fromkeys(name for name in names if isinstance(name, str)))
                meant = kept or None
            case _, float() if key in COUNTS and value >= 0 and value.is_integer():
                meant = int(value)
            case _:
                meant = None
        sent = "left out" if meant is None else f"sent as {one_line(repr(meant), 60)}"
        self._say(f"{at}/{key}", f"{one_line(repr(value), 60)}, {sent}")
        return meant

    def _say(self, at: str, what: str) -> None:
        if len(self.notes) < _MOST_SAID:
            self.notes.append(one_line(f"{at} is {what}", 200))


def _inside(key: str, value: Any) -> list[Any]:
    """The schemas in a keyword's value, which was checked. True and false are left out where even
    draft 4 has them.
    """
    if key == "dependencies":
        return [each for each in value.values() if not is_list(each)]
    if key in NAMED:
        return list(value.values())
    if key in _TRUE_OR_FALSE and isinstance(value, bool):
        return []
    return list(value) if is_list(value) else [value]
