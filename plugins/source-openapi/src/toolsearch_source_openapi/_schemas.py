"""OpenAPI's schemas as JSON Schema, with the definitions that they need and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._document import Document

COMPONENT = "#/components/schemas/"
DEFINITIONS = "#/$defs/"
LEFT_OUT = frozenset(
    "discriminator xml externalDocs example examples deprecated readOnly writeOnly".split()
)
MOST_BYTES = 200_000
DEEPEST = 60


class Bundle:
    """Schemas that share definitions, gathered for one tool."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.definitions: dict[str, Any] = {}

    def schema(self, schema: Any) -> Any:
        """A schema of the document as JSON Schema 2020-12."""
        return self._converted(schema, 0)

    def resolved(self, schema: Any) -> Mapping[str, Any]:
        """A schema that was converted, or the definition that it refers to."""
        for _ in range(16):
            if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
                break
            schema = self.definitions.get(schema["$ref"].removeprefix(DEFINITIONS))
        return schema if isinstance(schema, Mapping) else {}

    def fits(self, schema: Mapping[str, Any]) -> bool:
        """Whether schema and definitions are small enough for a host to check by."""
        return len(json.dumps([schema, self.definitions], default=str)) <= MOST_BYTES

    def _converted(self, value: Any, depth: int) -> Any:
        if isinstance(value, bool):
            return value
        if not isinstance(value, Mapping) or depth > DEEPEST:
            return {}
        reference = value.get("$ref")
        if isinstance(reference, str):
            return self._referred(reference, depth)
        kept = {
            key: self._keyword(key, inner, depth)
            for key, inner in value.items()
            if key not in LEFT_OUT and not str(key).startswith("x-")
        }
        return self._sent(_of_3_0(kept), value)

    def _sent(self, schema: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Without the properties that only answers have: a request is not to hold them."""
        properties = given.get("properties")
        if not isinstance(properties, Mapping):
            return schema
        answers = {
            name
            for name, each in properties.items()
            if isinstance(each, Mapping)
            and (
                each.get("readOnly") is True
                or self._document.resolved(each).get("readOnly") is True
            )
        }
        if answers:
            kept = schema["properties"].items()
            schema["properties"] = {name: each for name, each in kept if name not in answers}
            needed = [n for n in schema.get("required") or () if n not in answers]
            schema.pop("required", None)
            schema |= {"required": needed} if needed else {}
        return schema

    def _referred(self, reference: str, depth: int) -> Any:
        if not reference.startswith(COMPONENT):
            return self._converted(self._document.at(reference), depth + 1)
        name = reference.removeprefix(COMPONENT)
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self._converted(self._document.at(reference), 0)
        return {"$ref": f"{DEFINITIONS}{name}"}

    def _keyword(self, key: str, value: Any, depth: int) -> Any:
        match key, value:
            case ("properties" | "patternProperties" | "$defs" | "dependentSchemas", Mapping()):
                return {name: self._converted(each, depth + 1) for name, each in value.items()}
            case ("allOf" | "anyOf" | "oneOf" | "prefixItems", [*each]):
                return [self._converted(one, depth + 1) for one in each]
            case (
                "items" | "additionalProperties" | "not" | "contains" | "propertyNames"
                | "if" | "then" | "else" | "unevaluatedProperties" | "unevaluatedItems",
                _,
            ):  # fmt: skip
                return self._converted(value, depth + 1)
            case _:
                return value


def _of_3_0(schema: dict[str, Any]) -> dict[str, Any]:
    """`nullable` and the boolean bounds of 3.0, said as later drafts say them."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        said = schema.get(exclusive)
        if isinstance(said, bool):
            del schema[exclusive]
        if said is True and bound in schema:
            schema[exclusive] = schema.pop(bound)
    if schema.pop("nullable", None) is True:
        match schema.get("type"):
            case str(kind):
                schema["type"] = [kind, "null"]
                if "enum" in schema and None not in schema["enum"]:
                    schema["enum"] = [*schema["enum"], None]
            case None:
                return {"anyOf": [schema, {"type": "null"}]}
    return schema
