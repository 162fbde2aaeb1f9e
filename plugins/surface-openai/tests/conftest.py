"""A provider on loopback that refuses what OpenAI refuses, and a host with awkward tools."""

from __future__ import annotations

import re
from typing import Any

import openai
import pytest

from toolsearch.testing import LoopbackProvider, awkward_source

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
REFUSED_AT_ROOT = ("oneOf", "anyOf", "allOf", "enum", "not")


def refusal(request: dict[str, Any]) -> str | None:
    tools = request.get("tools") or []
    if len(tools) > 128 and "messages" in request:
        return f"Invalid 'tools': array too long. Expected at most 128, got {len(tools)}"
    for tool in tools:
        function = tool.get("function", tool)
        if tool["type"] != "function":
            continue
        if not NAME.fullmatch(function["name"]):
            return f"Invalid 'name': {function['name']}"
        if len(function.get("description", "")) > 1024:
            return "Invalid 'description': string too long"
        schema = function["parameters"]
        if schema.get("type") != "object" or any(key in schema for key in REFUSED_AT_ROOT):
            return f"Invalid schema for function {function['name']!r}"
    return _unanswered(request.get("messages") or []) or None


def _unanswered(messages: list[dict[str, Any]]) -> str:
    open_: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_.remove(message["tool_call_id"])
        elif open_:
            return f"tool calls without a response: {open_}"
        open_ += [call["id"] for call in message.get("tool_calls") or ()]
    return f"tool calls without a response: {open_}" if open_ else ""


@pytest.fixture
def provider():
    with LoopbackProvider(refusal) as provider:
        yield provider


@pytest.fixture
async def client(provider):
    base = f"{provider.url}/v1"
    async with openai.AsyncOpenAI(base_url=base, api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture
def source():
    return awkward_source()


@pytest.fixture
async def host(source, toolsearch_host):
    async with toolsearch_host(None, sources=[source]) as host:
        yield host
