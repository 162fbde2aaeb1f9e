"""What the adapters share: a source of foreign tools, and a surface as functions."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any
from weakref import finalize

import attrs

from toolsearch_hookspecs import (
    ClientTool,
    RunApi,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolDefinition,
    ToolError,
    ToolSource,
    ToolSpec,
)

from ..isolation import contained, text_of
from ..plugins import Workers
from ..sync import SyncRun

WORKERS = 8  # of the functions of one source that block, as many run at once
LONGEST = 2_000


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
    """One tool of a framework; `call` takes the arguments, and may be async.

    One that `blocks` is called on a daemon thread.
    """

    spec: ToolSpec
    call: Callable[[Mapping[str, Any]], Any]
    blocks: bool = False


class ForeignSource(ToolSource):
    """The tools of a framework as a source. The type and text of what they raise is told to the
    model: they are the deployment's own. Raises ValueError for two tools of one name.
    """

    kind: SourceKind = "plugin"
    trusted = True

    def __init__(self, name: str, origin: str, tools: Iterable[ForeignTool]) -> None:
        self.name = name
        self.origin = origin
        self._tools: dict[str, ForeignTool] = {}
        for tool in tools:
            if self._tools.setdefault(tool.spec.name, tool) is not tool:
                raise ValueError(f"two tools of {name} have the name {tool.spec.name!r}")
        self._workers = Workers(f"source-{name}", WORKERS)
        finalize(self, self._workers.close)

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
        outcome = await contained(lambda: self._called(tool, call.arguments))
        match outcome.failure:
            case None:
                return outcome.value
            case ToolError() | SourceUnavailable() as told:
                raise told
            case other:
                text = f"{type(other).__name__}: {text_of(other)}".removesuffix(": ")
                raise ToolError(text[:LONGEST])

    async def aclose(self) -> None:
        """Let the threads end."""
        self._workers.close()

    async def _called(self, tool: ForeignTool, arguments: Mapping[str, Any]) -> Any:
        call = partial(tool.call, arguments)
        value = await self._workers.answer(call) if tool.blocks else call()
        return await value if inspect.isawaitable(value) else value


def foreign_function(spec: ToolSpec, function: Callable[..., Any]) -> ForeignTool:
    """A function that takes the arguments by keyword; a plain one does not hold up the loop."""

    def call(arguments: Mapping[str, Any]) -> Any:
        return function(**arguments)

    return ForeignTool(spec, call, blocks=not inspect.iscoroutinefunction(function))


def paired(
    names: Iterable[str], functions: Mapping[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """The function of each name. Raises ValueError where names and functions do not fit."""
    wanted = list(names)
    missing = sorted(set(wanted) - set(functions))
    if missing:
        raise ValueError(f"no function executes {', '.join(missing)}; put it into `functions`")
    unused = sorted(set(functions) - set(wanted))
    if unused:
        raise ValueError(f"`functions` has {', '.join(unused)}, which no definition names")
    return {name: functions[name] for name in wanted}


def client_tools(
    tools: Iterable[ToolSpec], functions: Mapping[str, Callable[..., Any]] | None
) -> list[ClientTool]:
    """The definitions as tools of one run. One without a function is handed back to the caller."""
    specs, functions = {spec.name: spec for spec in tools}, functions or {}
    known = {name: spec for name, spec in specs.items() if name in functions}
    pairs = paired(known, functions)
    return [ClientTool(spec=spec, execute=_of_mapping(pairs.get(n))) for n, spec in specs.items()]


def _of_mapping(
    function: Callable[..., Any] | None,
) -> Callable[[Mapping[str, Any]], Any] | None:
    """The function, given its arguments as one mapping; a plain one stays plain."""
    if function is None:
        return None
    if inspect.iscoroutinefunction(function):

        async def later(arguments: Mapping[str, Any]) -> Any:
            return await function(**arguments)

        return later
    return lambda arguments: function(**arguments)


def answering(run: RunApi | SyncRun, tool: ToolDefinition) -> Callable[..., Any]:
    """A function that answers one tool of the surface, with keyword arguments, in text.

    It is a coroutine function, or a plain one where the run is a `SyncRun`.
    """
    if isinstance(run, SyncRun):
        front = run

        def answer_now(**arguments: Any) -> str:
            return front.handle(tool.name, arguments).text

        return answer_now

    asked: RunApi = run

    async def answer(**arguments: Any) -> str:
        return (await asked.handle(tool.name, arguments)).text

    return answer
