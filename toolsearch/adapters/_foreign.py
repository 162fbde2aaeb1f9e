"""What the adapters share: a source of foreign tools, and a surface as functions."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

import attrs

from toolsearch_hookspecs import (
    RunApi,
    RunContext,
    SourceKind,
    SourceListing,
    ToolCall,
    ToolDefinition,
    ToolError,
    ToolSource,
    ToolSpec,
)


def needed(module: str, distribution: str) -> Any:
    """A framework's module. Raises ImportError that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this adapter needs {distribution}: pip install {distribution}"
        ) from error


@attrs.frozen
class ForeignTool:
    """One tool of a framework; `call` takes the arguments, and may be async."""

    spec: ToolSpec
    call: Callable[[Mapping[str, Any]], Any]


class ForeignSource(ToolSource):
    """The tools of a framework as a source. What they raise is told to the model by its text."""

    kind: SourceKind = "plugin"
    trusted = True

    def __init__(self, name: str, origin: str, tools: Iterable[ForeignTool]) -> None:
        self.name = name
        self.origin = origin
        self._tools = {tool.spec.name: tool for tool in tools}

    async def start(self, changed: Callable[[], None]) -> None:
        """The tools never change."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        specs = [tool.spec for tool in self._tools.values()]
        text = json.dumps([spec.model_dump(mode="json") for spec in specs], default=str)
        digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
        return SourceListing(generation=digest[:16], tools=specs)

    async def call(self, call: ToolCall) -> Any:
        tool = self._tools.get(call.tool.name)
        if tool is None:
            raise ToolError(f"there is no tool {call.tool.name}")
        value = tool.call(call.arguments)
        return await value if inspect.isawaitable(value) else value

    async def aclose(self) -> None:
        """Nothing is held."""


def answering(run: RunApi, tool: ToolDefinition) -> Callable[..., Awaitable[str]]:
    """A function that answers one tool of the surface, with keyword arguments, in text."""

    async def answer(**arguments: Any) -> str:
        return (await run.handle(tool.name, arguments)).text

    return answer
