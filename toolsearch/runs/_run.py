"""One agent run: its surface, and the one door for everything that the model calls."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Bridge,
    CallError,
    CallFailure,
    CodeLimits,
    CodeRunner,
    Diagnostic,
    ErrorCode,
    ModelSurface,
    RenderedSurface,
    RunContext,
    ToolCall,
    ToolResult,
    ToolSearchSettings,
    Via,
)

from ..calls import CallPath, CallRequest, Counters, RunState, fail
from ..catalog import Catalog
from ..isolation import contained
from ..surfaces import Surfaces
from ..tracebacks import note
from ._bridge import BodyBridge
from ._client import ClientSource
from ._controls import control_answer
from ._cost import Cost
from ._handover import Handovers
from ._reading import asks_to_read, read_on
from ._recorded import RecordedRunner, code_limits
from ._respond import Responder, Step
from ._search import Found, Search
from ._shown import Drawing
from ._surface import PlannedSurface


class Run:
    """A planned run. `handle` answers each tool call of the model; it never raises for what the
    model sent. Close it with `aclose`, or use it as an async context manager.
    """

    def __init__(
        self,
        *,
        state: RunState,
        path: CallPath,
        search: Search,
        drawing: Drawing,
        redrawn: Callable[[], Awaitable[Drawing]],
        runner: CodeRunner | None,
        max_wait_ms: int,
        surfaces: Surfaces,
        client: ClientSource | None = None,
        hands_over: bool = False,
    ) -> None:
        self.state = state
        self.context: RunContext = state.context
        self.settings: ToolSearchSettings = state.settings
        self.runner: CodeRunner | None = None
        if runner is not None:
            self.runner = RecordedRunner(runner, state)
        self._path = path
        self._search = search
        self._surfaces = surfaces
        self._redrawn = redrawn
        self._redrawing = asyncio.Lock()
        self._max_wait_ms = max_wait_ms
        self._client = client
        self._handovers = Handovers()
        self._show(drawing)
        self._returns_approvals = hands_over
        self._hands_over = hands_over or (client is not None and client.hands_back)
        if client is not None:
            client.hand_back = self._hand_back

    @property
    def mode(self) -> str:
        """`direct`, `tools`, `code`, `directory`, or what a plugin renders."""
        return self.state.mode

    @property
    def surface(self) -> ModelSurface:
        """What the model is given; it stays the same until `refresh`."""
        return self.planned_surface.model

    @property
    def catalog(self) -> Catalog:
        """The tools that this run may use now."""
        return self.state.catalog

    @property
    def counters(self) -> Counters:
        """Searches, descriptions, calls and denials of this run so far."""
        return self.state.recorder.counters

    async def refresh(self) -> bool:
        """Bring the surface up to date with what sources offer and policy allows now, as a new
        plan would have it; gives whether it is another.

        Calls under way go on, and what was kept for the run stays. Raises ConfigError where the
        mode cannot be had any more; the surface stays as it was then.
        """
        async with self._redrawing:
            if self.state.closed:
                return False
            await self.state.rejudged()
            if self.state.catalog.fingerprint == self._drawing.catalog.fingerprint:
                return False
            before, drawing = self.surface, await self._redrawn()
            self._show(drawing)
            return self.surface != before

    async def handle(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolResult:
        """Answer one tool call of the model.

        `name` is a control tool, a visible tool, or the exact name of a hidden one;
        `arguments` is what the model wrote, as an object or as a JSON string.
        """
        call_id = call_id or _call_id()
        if self.state.closed:
            return _failed(fail(ErrorCode.UNAVAILABLE, "this run has ended. Not executed."))
        if not isinstance(name, str):
            return _failed(fail(ErrorCode.UNKNOWN_TOOL, "a tool is called by its name."))
        if not self._hands_over:
            return await self._answered(name, arguments, call_id)
        result = await self._handovers.begin(
            call_id, lambda: self._answered(name, arguments, call_id)
        )
        if result is None:
            in_use = f"a call {call_id} is under way. Not executed."
            return _failed(fail(ErrorCode.INVALID_ARGUMENTS, in_use))
        return result

    def rendered(self, surface: str | None = None) -> RenderedSurface:
        """The surface in a provider's own form: `tools` and `prompt` for its request, and
        `changes`, what had to be changed for it.

        `surface` names the form (`openai-chat`, say); without it the run's `provider` decides.
        Raises ConfigError where no loaded plugin speaks it, or it takes fewer tools.
        """
        return self._responder.rendered(surface)

    async def respond(self, message: Any, *, surface: str | None = None) -> Step:
        """Do one whole step: every call in a provider's message is answered.

        `message` is what the provider's client gave, or its JSON; of a streamed answer the stream
        (where it is asynchronous) or the list of its chunks.
        """
        return await self._responder.respond(message, surface)

    async def cost(self) -> Cost:
        """What each way of showing this run's tools costs, and which `auto` would pick."""
        return await self._drawing.cost()

    async def deliver(
        self, call_id: str, value: Any = None, *, error: str | None = None
    ) -> ToolResult:
        """Give the caller's result (or error) of a call that was handed back.

        Gives what the model is told. Raises LookupError where no such call waits.
        """
        failure = None
        if error is not None:
            failure = CallFailure(code=ErrorCode.TOOL_ERROR, message=error, executed=True)
        given = ToolResult(value=value, error=failure)
        client = self._client
        return await self.go_on(
            call_id, lambda: client is not None and client.deliver(call_id, given)
        )

    def waits_for(self, call_id: str) -> bool:
        """Whether this call of the run gave an interim result and waits."""
        return self._handovers.waits(call_id)

    def asked_by(self, request_id: str) -> str | None:
        """The id of the call of this run that waits for this approval, handed over."""
        return self._handovers.asked_by(request_id)

    async def go_on(self, call_id: str, answered: Callable[[], bool]) -> ToolResult:
        """Wait for what comes after an interim result was answered.

        Raises LookupError where no such call waits.
        """
        result = await self._handovers.go_on(call_id, answered)
        if result is None:
            message = f"no call {call_id} of this run waits for that"
            raise LookupError(message)
        return result

    async def resumed(self, request: ApprovalRequest, decision: ApprovalDecision) -> ToolResult:
        """Carry out a call that an earlier process left pending, with the decision on it."""
        call = request.call
        return await self.walk(
            call.tool.id, call.arguments, via="resume", call_id=call.id, resumed=(request, decision)
        )

    def _show(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self.state.mode = drawing.mode.name
        self.planned_surface: PlannedSurface = drawing.surface
        self.diagnostics: tuple[Diagnostic, ...] = drawing.diagnostics
        native = drawing.native_search
        self._responder = Responder(self, self.state, self._search, self._surfaces, native)

    async def _answered(self, name: str, arguments: Any, call_id: str) -> ToolResult:
        renderer = self._drawing.mode.renderer
        if renderer is not None and name in renderer.controls:
            outcome = await contained(lambda: renderer.handle(self, name, arguments, call_id))
            match outcome.value, outcome.failure:
                case ToolResult() as result, None:
                    return result
                case _, CallError() as error:
                    return _failed(error)
                case _, failure:
                    note(f"{name} of the mode {self.mode} failed", failure)
                    reason = type(failure).__name__ if failure else "it gave no result"
                    return _failed(fail(ErrorCode.INTERNAL, f"{name} failed: {reason}"))
        tool_id = self.planned_surface.names.get(name)
        via: Via = "hydration" if tool_id is None else "direct"
        return await self.walk(tool_id or name, arguments, via=via, call_id=call_id)

    def _hand_back(self, call: ToolCall) -> bool:
        told = self._handovers.of(call.id)
        if told is None:
            return False
        told(ToolResult(handed_back=call))
        return True

    async def control(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolResult:
        """Answer `tool_search`, `tool_describe` or `tool_call`."""
        call_id = call_id or _call_id()
        try:
            return await control_answer(self, self._search, name, arguments, call_id)
        except CallError as error:
            return _failed(error)

    async def search(
        self, query: str, *, limit: int | None = None, call_id: str | None = None
    ) -> Found:
        """Ranked compact descriptors for one query. Raises CallError."""
        return await self._search.find(query, limit, call_id or _call_id())

    async def describe(self, id: str, *, call_id: str | None = None) -> dict[str, Any]:
        """One descriptor with its exact schemas. Raises CallError."""
        return await self._search.describe(id, call_id or _call_id())

    async def call(self, id: str, arguments: Any = None) -> ToolResult:
        """Call a tool by id or unique name, as the embedding program or the command line."""
        return await self.walk(id, {} if arguments is None else arguments, via="cli")

    async def walk(
        self,
        name: str,
        raw: Any,
        *,
        via: Via,
        call_id: str | None = None,
        body: str | None = None,
        extra: Mapping[str, Any] | None = None,
        max_bytes: int | None = None,
        waiting: Callable[[bool], None] | None = None,
        resumed: tuple[ApprovalRequest, ApprovalDecision] | None = None,
        enveloped: bool = False,
    ) -> ToolResult:
        """Take one real call down the path of S7."""
        call_id = call_id or _call_id()
        request = CallRequest(
            name=name,
            raw=raw,
            via=via,
            call_id=call_id,
            max_bytes=max_bytes or self.state.limits.max_result_bytes,
            body=body,
            extra=extra or {},
            waiting=waiting,
            hand_over=self._handovers.of(call_id) if self._returns_approvals else None,
            resumed=resumed,
            enveloped=enveloped,
        )
        if asks_to_read(name):
            return read_on(self.state, request)
        return await self._path(self.state, request)

    def bridge(self, call_id: str) -> Bridge:
        """What one body of code calls, for runners."""
        return BodyBridge(self, call_id)

    def code_limits(self) -> CodeLimits:
        """What bounds one body of code of this run."""
        return code_limits(self.state, self._max_wait_ms)

    async def aclose(self) -> None:
        """End the run: what waits or executes is cancelled, wherever it was called from, its
        counters are told, its result handles are void.
        """
        if self.state.closed:
            return
        self.state.close()
        try:
            await self._handovers.aclose()
            await self.state.calls_ended()
            if self._client is not None:
                await self._client.aclose()
        finally:
            self.state.results.clear()
            self.state.recorder.run_ended()

    async def __aenter__(self) -> Run:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def _failed(error: CallError) -> ToolResult:
    return ToolResult(error=error.failure)


def _call_id() -> str:
    return f"call_{secrets.token_hex(8)}"
