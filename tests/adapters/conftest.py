"""One tool that says what it is told, and their function `add`, found and called."""

from __future__ import annotations

import json

import pytest

from toolsearch.testing import ListSource, LoopbackProvider

ONLY = ("index-whoosh", "mode-tools", "policy-rules", "surface-openai", "surface-anthropic")
SAY = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@pytest.fixture
def provider():
    with LoopbackProvider() as provider:
        yield provider


@pytest.fixture
def echo():
    return ListSource("echo", {"say": lambda text: text}, say={"input_schema": SAY})


@pytest.fixture
def adds(toolsearch_host):
    """`await adds(source, owner)` finds, describes and calls their tool `add`."""

    async def added(source, owner):
        async with toolsearch_host(None, sources=[source], only=ONLY) as host:
            run = await host.plan()
            found = await run.handle("tool_search", {"query": "add two numbers"})
            assert [hit["id"] for hit in found.value["hits"]] == [f"openclaw:{owner}:add"]
            assert "a" in json.dumps((await run.handle("tool_describe", {"id": "add"})).value)
            wrong = await run.handle("tool_call", {"id": "add", "args": {"a": "many"}})
            assert wrong.error.code == "invalid_arguments"
            done = await run.handle("tool_call", {"id": "add", "args": {"a": 2, "b": 3}})
            return done.value["result"]

    return added
