"""A provider on loopback that refuses what Gemini refuses, and a host with awkward tools."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from toolsearch.testing import LoopbackProvider, awkward_source
from toolsearch_hookspecs import ToolSpec

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
KEY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
TEXT = {"type": "string"}
UNKNOWN = ("$ref", "$schema", "allOf", "const", "exclusiveMinimum", "not", "pattern")
SEARCH = ToolSpec(
    name="search",
    description="Search the archive.",
    input_schema={
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "$top": {"type": "integer", "exclusiveMinimum": 0},
            "kind": {"const": "mail"},
            "address": {"type": "string", "format": "email", "pattern": ".+@.+"},
            "tags": {"type": "array"},
            "both": {"allOf": [{"type": "object", "properties": {"a": TEXT}}]},
        },
        "required": ["$top", "gone"],
    },
)


def field(message: dict[str, Any], name: str) -> Any:
    """A field of a protocol buffer's JSON, whose name may be written in either case."""
    return message.get(name, message.get(re.sub("([A-Z])", r"_\1", name).lower()))


def _name(part: dict[str, Any], kind: str) -> str | None:
    return (field(part, kind) or {}).get("name")


def refusal(request: dict[str, Any]) -> str | None:
    declared = [
        d for tool in request.get("tools") or [] for d in field(tool, "functionDeclarations")
    ]
    if len(declared) > 512:
        return "The request has more than 512 function declarations"
    for number, declaration in enumerate(declared):
        place = f"tools[0].function_declarations[{number}]"
        schema = field(declaration, "parametersJsonSchema")
        if not NAME.fullmatch(declaration["name"]):
            return f"Invalid function name at {place}.name"
        if schema.get("type") != "object":
            return f"{place}.parameters: schema should be of type OBJECT"
        if not all(map(KEY.fullmatch, schema.get("properties", {}))):
            return f"{place}.parameters.properties: invalid parameter name"
        if (unknown := _unknown(schema)) is not None:
            return f'Unknown name "{unknown}" at {place}.parameters: Cannot find field.'
    return _unanswered(request["contents"])


def _unknown(schema: Any) -> str | None:
    match schema:
        case dict():
            here = (key for key in UNKNOWN if key in schema)
            required = set(schema.get("required", ())) - set(schema.get("properties", ()))
            parts = schema.get("properties", schema)
            inside = (_unknown(value) for value in parts.values())
            return (
                next(here, None) or next(iter(required), None) or next(filter(None, inside), None)
            )
        case list():
            return next(filter(None, map(_unknown, schema)), None)
        case _:
            return None


def _unanswered(contents: list[dict[str, Any]]) -> str | None:
    for before, after in itertools.pairwise([*contents, {"parts": []}]):
        asked = [name for part in before["parts"] if (name := _name(part, "functionCall"))]
        given = [name for part in after["parts"] if (name := _name(part, "functionResponse"))]
        if asked != given:
            return "the number of function response parts should equal that of function call parts"
    return None


def error(message: str) -> dict[str, Any]:
    return {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": message}}


@pytest.fixture
def provider():
    with LoopbackProvider(refusal, error) as provider:
        yield provider


@pytest.fixture
def source():
    return awkward_source(SEARCH)


@pytest.fixture
async def host(source, toolsearch_host):
    async with toolsearch_host(None, sources=[source]) as host:
        yield host
