"""pydantic-ai: `Agent(model, tools=tools_of(run), instructions=run.surface.prompt)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolsearch_hookspecs import RunApi, ToolSource, ToolSpec

from ..sync import SyncRun
from ._foreign import ForeignSource, ForeignTool, answering, needed

DISTRIBUTION = "pydantic-ai-slim"


def tools_of(run: RunApi | SyncRun) -> list[Any]:
    """The surface as `pydantic_ai.Tool`s."""
    ours = needed("pydantic_ai", DISTRIBUTION).Tool
    return [
        ours.from_schema(answering(run, tool), tool.name, tool.description, dict(tool.input_schema))
        for tool in run.surface.tools
    ]


def source_of(tools: Iterable[Any], name: str = "pydantic-ai") -> ToolSource:
    """A source of `pydantic_ai.Tool`s, or of functions as their agents take them. Raises
    ValueError for one that takes the run's context: there is none outside of an agent of theirs.
    """
    kind = needed("pydantic_ai", DISTRIBUTION).Tool
    made = (tool if isinstance(tool, kind) else kind(tool) for tool in tools)
    return ForeignSource(name, DISTRIBUTION, [_foreign(tool) for tool in made])


def _foreign(tool: Any) -> ForeignTool:
    if tool.takes_ctx:
        raise ValueError(f"the tool {tool.name} takes a RunContext, which is not there here")
    known = tool.tool_def

    async def call(arguments: Mapping[str, Any]) -> Any:
        checked = tool.function_schema.validator.validate_python(dict(arguments))
        return await tool.function_schema.call(checked, None)

    spec = ToolSpec(
        name=known.name,
        description=known.description or "",
        input_schema=known.parameters_json_schema,
        sequential=bool(known.sequential),
    )
    return ForeignTool(spec, call)
