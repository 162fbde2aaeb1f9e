"""A provider on loopback that refuses what Anthropic refuses, and a host with awkward tools."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from toolsearch.testing import LoopbackProvider, awkward_source
from toolsearch_hookspecs import ToolSpec

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
TEXT = {"type": "string"}
REFUSED_AT_ROOT = ("oneOf", "anyOf", "allOf")
LIST_APPS = ToolSpec(
    name="list_apps",
    description="List the apps.",
    input_schema={
        "type": "object",
        "properties": {"filter[id]": TEXT, "filter_id_": TEXT, "limit": TEXT},
        "required": ["filter[id]"],
    },
)


def refusal(request: dict[str, Any]) -> str | None:
    for number, tool in enumerate(request.get("tools") or []):
        place = f"tools.{number}.custom"
        schema = tool["input_schema"]
        if not NAME.fullmatch(tool["name"]):
            return f"{place}.name: String should match pattern"
        if schema.get("type") != "object":
            return f"{place}.input_schema.type: Field required"
        if any(key in schema for key in REFUSED_AT_ROOT):
            return f"{place}.input_schema: does not support oneOf, allOf, or anyOf at the top"
        if not all(map(KEY.fullmatch, schema.get("properties", {}))):
            return f"{place}.input_schema.properties: Property keys should match pattern"
    return _unanswered(request["messages"], {tool["name"] for tool in request["tools"]})


def _unanswered(messages: list[dict[str, Any]], names: set[str]) -> str | None:
    for before, after in itertools.pairwise([*messages, {"role": "user", "content": []}]):
        blocks = before["content"] if isinstance(before["content"], list) else []
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        content = after["content"] if isinstance(after["content"], list) else []
        given = [block for block in content if block["type"] == "tool_result"]
        if asked != [block["tool_use_id"] for block in given]:
            return f"tool_use ids were found without tool_result blocks: {asked}"
        for block in given:
            parts = block["content"] if isinstance(block["content"], list) else []
            named = {part["tool_name"] for part in parts if part["type"] == "tool_reference"}
            if not named <= names:
                return f"tool_reference of no tool: {named - names}"
    return None


def error(message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


@pytest.fixture
def provider():
    with LoopbackProvider(refusal, error) as provider:
        yield provider


@pytest.fixture
def source():
    return awkward_source(LIST_APPS)


@pytest.fixture
async def host(source, toolsearch_host):
    async with toolsearch_host(None, sources=[source]) as host:
        yield host
