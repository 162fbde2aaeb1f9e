"""Hosts for the tests: real plugins, throw-away state, every event kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest

from toolsearch import Host
from toolsearch_hookspecs import (
    Event,
    RunContext,
    SourceListing,
    ToolCall,
    ToolSource,
    ToolSpec,
    hookimpl,
)


class ListSource(ToolSource):
    """A source made of specs and functions of one mapping, for tests."""

    kind = "plugin"
    trusted = True

    def __init__(self, name: str, tools: Mapping[str, Callable[..., Any]], **specs: Any) -> None:
        self.name = name
        self.origin = f"tests:{name}"
        self.functions = dict(tools)
        self.specs = {
            tool: ToolSpec(name=tool, **{"description": f"{tool} of {name}"} | specs.get(tool, {}))
            for tool in tools
        }
        self.calls: list[ToolCall] = []
        self.listed: list[RunContext] = []
        self.generation = 1
        self.changed: Callable[[], None] = lambda: None
        self.broken: Exception | None = None

    async def start(self, changed: Callable[[], None]) -> None:
        self.changed = changed

    async def list_tools(self, run: RunContext) -> SourceListing:
        self.listed.append(run)
        if self.broken is not None:
            raise self.broken
        return SourceListing(generation=str(self.generation), tools=list(self.specs.values()))

    async def call(self, call: ToolCall) -> Any:
        self.calls.append(call)
        answer = self.functions[call.tool.name](**call.arguments)
        return await answer if hasattr(answer, "__await__") else answer


class Events:
    """A plugin that keeps what it is told."""

    def __init__(self) -> None:
        self.all: list[Event] = []

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        self.all.append(event)

    def of(self, type: str) -> list[Event]:
        return [event for event in self.all if event.type == type]


class Yields:
    """A plugin that yields sources."""

    def __init__(self, *sources: ToolSource) -> None:
        self.sources = sources

    @hookimpl
    def toolsearch_tool_sources(self, plugin: Any) -> tuple[ToolSource, ...]:
        return self.sources


@pytest.fixture
async def started(tmp_path):
    """`await started(config, *sources, plugins=[...])` gives a started host; closed at the end.

    The host's events are at `host.events`, its log under a throw-away state folder.
    """
    async with AsyncExitStack() as stack:

        async def start(config=None, *sources, plugins=(), **more):
            events = Events()
            given = [("events", events), ("sources", Yields(*sources)), *plugins]
            base = {"tools": {"toolSearch": {"mode": "tools"}}}
            host = Host.from_config(
                base if config is None else config,
                plugins=given,
                environ={},
                state_dir=tmp_path / "state",
                **more,
            )
            host.events = events
            return await stack.enter_async_context(host)

        yield start
