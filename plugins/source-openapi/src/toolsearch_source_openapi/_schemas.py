"""OpenAPI's schemas as JSON Schema, with the definitions that they need and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._document import Document

COMPONENT = "#/components/schemas/"
LEFT_OUT = frozenset({"discriminator", "xml", "externalDocs", "example", "examples", "deprecated"})
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
        return _of_3_0(kept)

    def _referred(self, reference: str, depth: int) -> Any:
        if not reference.startswith(COMPONENT):
            return self._converted(self._document.at(reference), depth + 1)
        name = reference.removeprefix(COMPONENT)
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self._converted(self._document.at(reference), 0)
        return {"$ref": f"#/$defs/{name}"}

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
