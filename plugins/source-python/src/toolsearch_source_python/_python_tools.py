"""Functions of the embedding program as tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

import attrs

from toolsearch_hookspecs import (
    CatalogMode,
    ConfigError,
    Quarantined,
    RunContext,
    SourceKind,
    SourceListing,
    ToolAnnotations,
    ToolCall,
    ToolResult,
)

from ._forms import NotJson
from ._function import PythonFunction, python_function
from ._members import methods_of
from ._stubs import Place, Stubs
from ._threads import Threads
from ._toolbox import Toolbox

if TYPE_CHECKING:
    from ._stubs import Place

log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen
class _Added:
    function: Any
    place: Place | None
    declared: dict[str, Any]


class PythonTools:
    """Python functions as a tool source, for `Host.from_config(config, sources=[tools])`.

        tools = PythonTools("core")

        @tools.tool(read_only=True)
        def area(width: float, height: float) -> float:
            '''The area of a rectangle.'''
            return width * height

    The owner of its tools is `name`. A function that is not asynchronous runs on a daemon thread;
    at most `threads` at once. Signatures are read when the tools are first listed, so that an
    annotation may name a type defined later; a function that JSON cannot call is quarantined.
    """

    kind: SourceKind = "plugin"
    trusted = True

    def __init__(self, name: str = "core", *, threads: int = 8, max_items: int = 1_000) -> None:
        self.name = name
        self.origin = f"python:{name}"
        self._max_items = max_items
        self._threads = Threads(name, threads)
        self._added: dict[str, _Added] = {}
        self._toolbox: Toolbox | None = None
        self._generation = 0
        self._listeners: list[Callable[[], None]] = []
        self._undescribed: set[str] = set()

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(self, /, **declared: Any) -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **declared: Any) -> Any:
        """Add the decorated function; the keywords are those of `add`."""

        def mark(target: F) -> F:
            self.add(target, **declared)
            return target

        return mark if function is None else mark(function)

    def add(
        self,
        target: Any,
        *,
        name: str | None = None,
        description: str | None = None,
        label: str | None = None,
        read_only: bool | None = None,
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        approval: str | None = None,
        sequential: bool = False,
        aliases: Iterable[str] = (),
        groups: Iterable[str] = (),
        catalog_mode: CatalogMode = "catalog",
        timeout_ms: int | None = None,
    ) -> None:
        """Add a function, or the public methods of an object as `name.method`.

        `name` is by default the function's, or the object's class in lower case. `approval` is
        the reason why a person is asked before each call. Raises `ConfigError` for a name that is
        taken.
        """
        hints = ToolAnnotations(
            read_only=read_only,
            destructive=destructive,
            idempotent=idempotent,
            open_world=open_world,
        )
        declared: dict[str, Any] = {
            "annotations": hints,
            "approval": approval,
            "sequential": sequential,
            "groups": tuple(groups),
            "catalog_mode": catalog_mode,
            "timeout_ms": timeout_ms,
        }
        if callable(target) and not isinstance(target, type):
            own = {"description": description, "label": label, "aliases": tuple(aliases) or None}
            declared |= {key: value for key, value in own.items() if value is not None}
            self._put(name or _name_of(target), _Added(target, None, declared))
        else:
            prefix = name or _name_of(target)
            for member in methods_of(target, f"{prefix}."):
                self._put(member.name, _Added(member.function, member.place, declared))
        self._change()

    def remove(self, name: str) -> None:
        """Take a tool away; runs that are going on say that it is unavailable."""
        del self._added[name]
        self._change()

    async def start(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    async def list_tools(self, run: RunContext) -> SourceListing:
        generation = str(self._generation)
        toolbox = await self._opened()
        return SourceListing(
            generation=generation, tools=toolbox.specs, quarantined=toolbox.quarantined
        )

    async def call(self, call: ToolCall) -> ToolResult:
        toolbox = await self._opened()
        function = toolbox.function(call.tool.name)
        if function.asynchronous:
            return await toolbox.await_call(function, call.arguments)
        return await self._threads.run(lambda: toolbox.call(function, call.arguments))

    async def aclose(self) -> None:
        self._threads.close()
        self._listeners.clear()

    def _put(self, name: str, added: _Added) -> None:
        if name in self._added:
            raise ConfigError(
                f"{self.name} already has a tool {name!r}; give this one another name"
            )
        self._added[name] = added

    def _change(self) -> None:
        self._generation += 1
        self._toolbox = None
        for changed in self._listeners:
            changed()

    async def _opened(self) -> Toolbox:
        if self._toolbox is None:
            added = dict(self._added)
            generation = self._generation
            toolbox = await self._threads.run(lambda: _made(added, self._max_items))
            if generation != self._generation:
                return toolbox
            self._toolbox = toolbox
            self._warn_of_the_undescribed(toolbox)
        return self._toolbox

    def _warn_of_the_undescribed(self, toolbox: Toolbox) -> None:
        """Say once of each tool that a model has only its name to go by."""
        bare = {spec.name for spec in toolbox.specs if not spec.description} - self._undescribed
        for name in sorted(bare):
            log.warning(
                "%s: the tool %r has no description, so that it is found by its name alone; "
                "give the function a docstring, or say description=",
                self.name,
                name,
            )
        self._undescribed |= bare


def _made(added: dict[str, _Added], max_items: int) -> Toolbox:
    stubs = Stubs()
    functions: dict[str, PythonFunction] = {}
    quarantined: list[Quarantined] = []
    for name, item in added.items():
        try:
            functions[name] = python_function(
                item.function, name, stubs=stubs, place=item.place, declared=item.declared
            )
        except NotJson as reason:
            quarantined.append(Quarantined(name=name, reason=str(reason)))
    return Toolbox(functions, tuple(quarantined), max_items)


def _name_of(target: Any) -> str:
    name = getattr(target, "__name__", None)
    return name if isinstance(name, str) else type(target).__name__.lower()
