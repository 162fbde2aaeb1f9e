"""LlamaIndex: `FunctionAgent(tools=tools_of(run), llm=...)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from toolsearch_hookspecs import RunApi, ToolDefinition, ToolSource, ToolSpec

from ..sync import SyncRun
from ._foreign import ForeignSource, ForeignTool, answering, needed

DISTRIBUTION = "llama-index-core"


def tools_of(run: RunApi | SyncRun) -> list[Any]:
    """The surface as `FunctionTool`s, for `acall`; of a `SyncRun` for `call` too."""
    how = "fn" if isinstance(run, SyncRun) else "async_fn"
    theirs = needed("llama_index.core.tools", DISTRIBUTION)
    return [
        theirs.FunctionTool.from_defaults(
            **{how: answering(run, tool)},
            tool_metadata=theirs.ToolMetadata(
                name=tool.name, description=tool.description, fn_schema=_model(tool)
            ),
        )
        for tool in run.surface.tools
    ]


def source_of(tools: Iterable[Any], name: str = "llama-index") -> ToolSource:
    """A source of LlamaIndex's tools, or of functions as its agents take them."""
    theirs = needed("llama_index.core.tools", DISTRIBUTION)
    made = (
        tool if isinstance(tool, theirs.BaseTool) else theirs.FunctionTool.from_defaults(tool)
        for tool in tools
    )
    return ForeignSource(name, DISTRIBUTION, [_foreign(tool) for tool in made])


def _model(tool: ToolDefinition) -> type[BaseModel]:
    """They want a model, and ask it for nothing but its schema."""

    class Arguments(BaseModel):
        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return dict(tool.input_schema)

    return Arguments


def _foreign(tool: Any) -> ForeignTool:
    async def call(arguments: Mapping[str, Any]) -> Any:
        output = await tool.acall(**arguments)
        return output.raw_output if output.raw_output is not None else output.content

    spec = ToolSpec(
        name=tool.metadata.get_name(),
        description=tool.metadata.description,
        input_schema=tool.metadata.get_parameters_dict(),
    )
    return ForeignTool(spec, call)
