"""One typed method for each hook, all through the one dispatcher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import (
    ApprovalRequest,
    CodeRunner,
    Command,
    Diagnostic,
    Event,
    ModeRenderer,
    PluginContext,
    PolicyExplanation,
    RankedTool,
    RunContext,
    SearchIndex,
    Surface,
    Tool,
    ToolCall,
    ToolResult,
    ToolSource,
)

from . import _approval, _call_path
from ._answers import ApprovalOutcome, BeforeOutcome, PolicyVerdict, Stamped, Yielded
from ._dispatch import Dispatcher
from ._events import EventQueue
from ._outcome import nothing
from ._policy import Policies
from ._policy_explain import explanations
from ._rank import ranked
from ._registration import OF_PLUGINS, Offer, Registrations, source_fault, source_key

_SOURCES = Offer(
    "toolsearch_tool_sources", ToolSource, source_key, source_fault, {"kind": OF_PLUGINS}
)
_INDEXES = Offer("toolsearch_search_indexes", SearchIndex)
_MODES = Offer("toolsearch_mode_renderers", ModeRenderer)
_RUNNERS = Offer("toolsearch_code_runners", CodeRunner)
_SURFACES = Offer("toolsearch_surfaces", Surface)
_COMMANDS = Offer("toolsearch_commands", Command, is_record=True)


class HookCalls:
    """The hooks of one host, in the order of the contract.

    No method raises for what a plugin does: the failure rule of its hook decides what becomes of
    the answer, and the failure is reported.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._registrations = Registrations(dispatcher)
        self._policies = Policies(dispatcher)
        self._events = EventQueue(dispatcher)
        self._shut_down = False

    def set_contexts(self, contexts: Mapping[str, PluginContext]) -> None:
        """What each plugin is handed when it registers."""
        self._registrations.contexts = dict(contexts)

    def tool_sources(self) -> tuple[Yielded[ToolSource], ...]:
        return self._registrations.of(_SOURCES)

    def search_indexes(self) -> tuple[Yielded[SearchIndex], ...]:
        return self._registrations.of(_INDEXES)

    def mode_renderers(self) -> tuple[Yielded[ModeRenderer], ...]:
        return self._registrations.of(_MODES)

    def code_runners(self) -> tuple[Yielded[CodeRunner], ...]:
        return self._registrations.of(_RUNNERS)

    def surfaces(self) -> tuple[Yielded[Surface], ...]:
        return self._registrations.of(_SURFACES)

    def commands(self) -> tuple[Yielded[Command], ...]:
        return self._registrations.of(_COMMANDS)

    def is_silent(self, plugin: str, hook: str) -> bool:
        """Whether a registering hook was asked and returned None, rather than nothing or some."""
        return self._registrations.is_silent(plugin, hook)

    async def policy(
        self,
        run: RunContext,
        tools: Sequence[Tool],
        arguments: Mapping[str, Any] | None,
        *,
        tools_key: str | None = None,
    ) -> PolicyVerdict:
        """What all policies say. `tools_key` identifies the tools: equal keys, equal tools; with
        it (and without arguments) answers that carry a cache key are reused, see `Policies`.
        """
        return await self._policies.verdict(run, tools, arguments, tools_key)

    @property
    def policy_generation(self) -> int:
        """Rises when a policy was caught denying what a kept answer of its allowed: what was
        planned until then is out of date.
        """
        return self._policies.generation

    async def explain(
        self, run: RunContext, tool: Tool, arguments: Mapping[str, Any] | None
    ) -> list[Stamped[PolicyExplanation]]:
        """What each policy says of one tool, for operators; never for a model."""
        return await explanations(self._dispatcher, run, tool, arguments)

    async def catalog_built(self, run: RunContext, tools: Sequence[Tool]) -> None:
        for each in self._dispatcher.implementations.of("toolsearch_catalog_built"):
            await self._dispatcher.ask(each, {"run": run, "tools": tools}, nothing)

    async def rank(
        self, run: RunContext, query: str, hits: Sequence[RankedTool]
    ) -> tuple[RankedTool, ...]:
        """The hits as the plugins reordered or thinned them."""
        return await ranked(self._dispatcher, run, query, hits)

    async def before(self, call: ToolCall) -> BeforeOutcome:
        return await _call_path.before(self._dispatcher, call)

    async def approve(self, request: ApprovalRequest, deadline_s: float) -> ApprovalOutcome:
        return await _approval.approve(self._dispatcher, request, deadline_s)

    async def execute(
        self, call: ToolCall, default: Callable[[ToolCall], Awaitable[ToolResult]]
    ) -> ToolResult:
        return await _call_path.execute(self._dispatcher, call, default)

    async def after(self, call: ToolCall, result: ToolResult) -> ToolResult:
        return await _call_path.after(self._dispatcher, call, result)

    def emit(self, event: Event) -> None:
        """Put the event on the queue and return at once; from any thread."""
        self._events.put(event)

    async def drain(self) -> None:
        """Wait until the events so far were told, at most for the deadline of hooks."""
        await self._events.drain()

    @property
    def dropped_events(self) -> int:
        """How many events found the queue full."""
        return self._events.dropped

    async def shutdown(self) -> tuple[Diagnostic, ...]:
        """Tell the events that wait, have every plugin close what it opened, end the workers.

        Gives what went wrong on the way. A second call does nothing.
        """
        if self._shut_down:
            return ()
        self._shut_down = True
        known = len(self._dispatcher.reports.all)
        try:
            await self._events.drain()
            self._events.close()
            for each in self._dispatcher.implementations.of("toolsearch_shutdown"):
                await self._dispatcher.ask(each, {}, nothing)
        finally:
            self._events.close()
            await self._dispatcher.aclose()
        return self._dispatcher.reports.all[known:]
