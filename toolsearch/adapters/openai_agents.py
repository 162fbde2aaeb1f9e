"""The OpenAI Agents SDK: `Agent(name=..., tools=tools_of(run))`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from toolsearch_hookspecs import RunApi, ToolDefinition, ToolSource, ToolSpec

from ..sync import SyncRun
from ._foreign import ForeignSource, ForeignTool, needed

DISTRIBUTION = "openai-agents"


def tools_of(run: RunApi | SyncRun) -> list[Any]:
    """The surface as `FunctionTool`s. They are not strict: a call's `args` may be any object."""
    function_tool = needed("agents", DISTRIBUTION).FunctionTool
    return [
        function_tool(
            name=tool.name,
            description=tool.description,
            params_json_schema=dict(tool.input_schema),
            on_invoke_tool=_invoked(run, tool),
            strict_json_schema=False,
        )
        for tool in run.surface.tools
    ]


def source_of(tools: Iterable[Any], name: str = "openai-agents") -> ToolSource:
    """A source of `FunctionTool`s. They are called with an empty context. Raises ValueError for
    what is none: their agents take no bare functions, and hosted tools run at the provider.
    """
    kind = needed("agents", DISTRIBUTION).FunctionTool
    context = needed("agents.tool_context", DISTRIBUTION).ToolContext
    tools = list(tools)
    for tool in tools:
        if not isinstance(tool, kind):
            raise ValueError(f"{tool!r} is no FunctionTool; make one with @function_tool")
    return ForeignSource(name, DISTRIBUTION, [_foreign(tool, context) for tool in tools])


def _invoked(run: RunApi | SyncRun, tool: ToolDefinition) -> Callable[[Any, str], Awaitable[str]]:
    async def invoked(context: Any, arguments: str) -> str:
        if isinstance(run, SyncRun):
            return (await asyncio.to_thread(run.handle, tool.name, arguments or {})).text
        return (await run.handle(tool.name, arguments or {})).text

    return invoked


def _foreign(tool: Any, context: Any) -> ForeignTool:
    async def call(arguments: Mapping[str, Any]) -> Any:
        text = json.dumps(dict(arguments))
        around = context(
            context=None, tool_name=tool.name, tool_call_id="call", tool_arguments=text
        )
        return await tool.on_invoke_tool(around, text)

    spec = ToolSpec(
        name=tool.name, description=tool.description or "", input_schema=tool.params_json_schema
    )
    return ForeignTool(spec, call)
