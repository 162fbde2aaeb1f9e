"""LangChain and LangGraph: `ToolNode(tools_of(run))`, `model.bind_tools(tools_of(run))`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from toolsearch_hookspecs import RunApi, ToolSource, ToolSpec

from ..sync import SyncRun
from ._foreign import ForeignSource, ForeignTool, answering, needed

DISTRIBUTION = "langchain-core"


def tools_of(run: RunApi | SyncRun) -> list[Any]:
    """The surface as `StructuredTool`s, for `ainvoke`; of a `SyncRun` for `invoke` too."""
    how = "func" if isinstance(run, SyncRun) else "coroutine"
    structured = needed("langchain_core.tools", DISTRIBUTION).StructuredTool
    return [
        structured.from_function(
            **{how: answering(run, tool)},
            name=tool.name,
            description=tool.description,
            args_schema=dict(tool.input_schema),
            infer_schema=False,
        )
        for tool in run.surface.tools
    ]


def source_of(tools: Iterable[Any], name: str = "langchain") -> ToolSource:
    """A source of LangChain's tools, or of functions as its agents take them."""
    theirs = needed("langchain_core.tools", DISTRIBUTION)
    made = (tool if isinstance(tool, theirs.BaseTool) else theirs.tool(tool) for tool in tools)
    return ForeignSource(name, DISTRIBUTION, [_foreign(tool) for tool in made])


def _foreign(tool: Any) -> ForeignTool:
    schema = tool.tool_call_schema
    is_model = isinstance(schema, type) and issubclass(schema, BaseModel)

    async def call(arguments: Mapping[str, Any]) -> Any:
        return await tool.ainvoke(dict(arguments))

    spec = ToolSpec(
        name=tool.name,
        description=tool.description or "",
        input_schema=schema.model_json_schema() if is_model else schema,
    )
    return ForeignTool(spec, call)
