"""A source at work: list its tools, and call one as a host would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from toolsearch_hookspecs import (
    PluginContext,
    RunContext,
    Tool,
    ToolCall,
    ToolResult,
    ToolSource,
    ToolSpec,
)
from toolsearch_source_python import PythonTools
from toolsearch_source_python._plugin import PythonSourcePlugin
from toolsearch_source_python._settings import PythonSettings

RUN = RunContext(run_id="r1")


class Used:
    """One source, used the way a host uses it."""

    def __init__(self, source: ToolSource) -> None:
        self.source = source

    async def specs(self) -> dict[str, ToolSpec]:
        listing = await self.source.list_tools(RUN)
        return {spec.name: spec for spec in listing.tools}

    async def quarantined(self) -> dict[str, str]:
        listing = await self.source.list_tools(RUN)
        return {item.name: item.reason for item in listing.quarantined}

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """The value of a call that has to succeed."""
        result = await self.result(name, arguments)
        assert result.error is None, result.error
        return result.value

    async def result(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        tool = Tool(
            id=f"plugin:{self.source.name}:{name}",
            source="plugin",
            owner=self.source.name,
            name=name,
            digest="d",
            plugin="source-python",
            origin=self.source.origin,
        )
        call = ToolCall(id="c1", tool=tool, arguments=arguments, run=RUN, via="direct")
        return await self.source.call(call)


@pytest.fixture
async def use() -> AsyncIterator[Callable[[ToolSource], Used]]:
    """Take a source into use; it is closed after the test."""
    taken: list[ToolSource] = []

    def take(source: ToolSource) -> Used:
        taken.append(source)
        return Used(source)

    yield take
    for source in taken:
        await source.aclose()


@pytest.fixture
async def function(use) -> Callable[[Any], Used]:
    """Take one function into use, as the tool `f`."""

    def take(target: Any) -> Used:
        tools = PythonTools("core")
        tools.add(target, name="f")
        return use(tools)

    return take


@pytest.fixture
async def module(use, tmp_path) -> Callable[..., Used]:
    """Take one configured module into use."""

    def take(name: str, **settings: Any) -> Used:
        given = PythonSettings.model_validate({"modules": [{"module": name, **settings}]})
        context = PluginContext(
            name="source-python", settings=given, base_dir=tmp_path, state_dir=tmp_path
        )
        (source,) = PythonSourcePlugin().toolsearch_tool_sources(context)
        return use(source)

    return take


@pytest.fixture
def written(tmp_path, monkeypatch) -> Callable[[str, str], str]:
    """Write a module that can be imported for the length of the test."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
        return name

    return write
