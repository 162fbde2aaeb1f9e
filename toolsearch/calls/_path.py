"""The path of every real call (S7), from whatever way in: one module, read from top to bottom.

resolve, repair, policy, before-hooks, policy again if the arguments changed, validate, approval
(edited arguments: policy and validation again), execute, after-hooks, bound, record.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import attrs

from toolsearch_hookspecs import (
    AskReason,
    CallError,
    CallFailure,
    ErrorCode,
    EventType,
    Limits,
    Tool,
    ToolCall,
    ToolResult,
)

from ..arguments import ArgumentProblem, explain_violations, misspelt, repair
from ..isolation import contained
from ..plugins import HookCalls
from ..results import bound
from ..schemas import SchemaProblem, Validators, signature
from ._approval import Approvals, call_digest
from ._execute import Execution, settled
from ._plain import plain
from ._resolve import open_still, resolved
from ._state import CallRequest, RunState, fail
from ._trace import Trace

log = logging.getLogger(__name__)


@attrs.frozen
class CallPath:
    """The only way to a tool. One for each host; what belongs to a run stands in `RunState`."""

    hooks: HookCalls
    limits: Limits
    approvals: Approvals
    validators: Validators
    execution: Execution

    async def __call__(self, state: RunState, request: CallRequest) -> ToolResult:
        """Walk one call. Never raises but for the caller's own cancellation."""
        trace = Trace.of(request)
        result: ToolResult | None = None
        with state.open_call():
            try:
                result = await self._outcome(state, request, trace)
            finally:
                trace.record(state.recorder, result)
        if result.error is None or result.error.code is not ErrorCode.LOOP:
            state.guard.note(*trace.attempt, failed=result.is_error)
        if trace.tool is None or not request.enveloped:
            return result
        tool = trace.tool
        return enveloped({"id": tool.id, "name": tool.name, "source": tool.source}, result)

    async def _outcome(self, state: RunState, request: CallRequest, trace: Trace) -> ToolResult:
        outcome = await contained(lambda: self._walk(state, request, trace))
        match outcome.failure:
            case None:
                result: ToolResult = outcome.value
            case CallError(failure=failure):
                result = ToolResult(error=failure)
            case other:
                log.error("call %s failed in the host", request.call_id, exc_info=other)
                result = ToolResult(error=trace.internal_failure())
        return bound(result, request.max_bytes, state.results)

    async def _walk(self, state: RunState, request: CallRequest, trace: Trace) -> ToolResult:
        self._guarded(state, trace)
        tool = trace.tool = await resolved(state, request.name)
        trace.attempt = (tool.id, [request.raw, request.extra])
        self._guarded(state, trace)
        state.recorder.tell(EventType.CALL_STARTED, trace.about)
        _crossable(tool, request)
        call, asks = await self._prepared(state, tool, request, trace)
        await self._validated(call)
        call = await self._approval(state, request, call, (*asks, *_own_mark(tool)))
        trace.arguments = call.arguments
        async with _turn(state, tool) as waited:
            if waited:
                call = await self._still_allowed(state, call)
            result = await self._execute(state, call, trace)
        trace.executed = result.error is None or result.error.executed
        checked = await self._checked(call, result)
        seen = await self.hooks.after(call, checked)
        return checked if seen is checked else settled(seen)

    async def _prepared(
        self, state: RunState, tool: Tool, request: CallRequest, trace: Trace
    ) -> tuple[ToolCall, tuple[AskReason, ...]]:
        """Repair, policy, before-hooks, policy again. A call that is resumed was repaired and
        shown to the hooks before it waited; policy is asked anew.
        """
        if request.resumed is not None:
            asked, _ = request.resumed
            call = asked.call.model_copy(update={"tool": tool, "run": state.context})
            if call_digest(call) != asked.digest:
                raise _changed(tool)
            trace.arguments = call.arguments
            asks = await self._policy(state, call)
            return call, asks or asked.reasons
        call = self._repaired(state, tool, request, trace)
        trace.attempt = (tool.id, call.arguments)
        self._guarded(state, trace)
        asks = await self._policy(state, call)
        call, more = await self._before(state, call)
        return call, (*asks, *more)

    def _guarded(self, state: RunState, trace: Trace) -> None:
        """Stop a run of identical failing calls, however they are spelt (S5.7)."""
        if state.guard.stops(*trace.attempt):
            raise fail(
                ErrorCode.LOOP,
                f"this call has failed {self.limits.loop_guard} times with the same arguments. "
                "Not executed again: change the arguments or take another way.",
            )

    def _repaired(
        self, state: RunState, tool: Tool, request: CallRequest, trace: Trace
    ) -> ToolCall:
        try:
            repaired = repair(
                tool.input_schema, request.raw, extra=request.extra, called=(tool.id, tool.name)
            )
            arguments = plain(repaired.arguments)
        except ArgumentProblem as problem:
            raise fail(ErrorCode.INVALID_ARGUMENTS, str(problem), tool=tool.id) from problem
        trace.repairs, trace.arguments = repaired.notes, arguments
        return ToolCall(
            id=request.call_id,
            tool=tool,
            arguments=arguments,
            run=state.context,
            via=request.via,
            body=request.body,
        )

    async def _policy(self, state: RunState, call: ToolCall) -> tuple[AskReason, ...]:
        """Ask every policy about this call. Gives the reasons to ask a person."""
        verdict = await self.hooks.policy(state.context, (call.tool,), call.arguments)
        denied = verdict.denied.get(call.tool.id)
        if denied is not None:
            raise fail(
                ErrorCode.BLOCKED,
                f"policy does not allow this call: {denied.value.reason}. Not executed.",
                tool=call.tool.id,
                by=denied.plugin,
            )
        asks = verdict.asks.get(call.tool.id, ())
        return tuple(AskReason(by=ask.plugin, reason=ask.value.reason) for ask in asks)

    async def _before(
        self, state: RunState, call: ToolCall
    ) -> tuple[ToolCall, tuple[AskReason, ...]]:
        outcome = await self.hooks.before(call)
        if outcome.denied is not None:
            raise fail(
                ErrorCode.BLOCKED,
                f"{outcome.denied.value.reason}. Not executed.",
                tool=call.tool.id,
                by=outcome.denied.plugin,
            )
        if not outcome.changed_by:
            return call, outcome.asks
        call = _changed_to(call, outcome.arguments)
        return call, (*outcome.asks, *await self._policy(state, call))

    async def _validated(self, call: ToolCall) -> None:
        tool = call.tool
        try:
            violations = await self.validators.check(
                tool.digest, tool.input_schema, call.arguments, of=tool.id
            )
        except SchemaProblem as problem:
            raise _unusable(tool, "input", problem) from problem
        violations = violations or misspelt(tool.input_schema, call.arguments)
        if violations:
            shown = signature(tool.input_schema, trusted=tool.trusted)
            raise fail(
                ErrorCode.INVALID_ARGUMENTS,
                explain_violations(tool.id, violations, shown),
                tool=tool.id,
            )

    async def _approval(
        self,
        state: RunState,
        request: CallRequest,
        call: ToolCall,
        reasons: tuple[AskReason, ...],
    ) -> ToolCall:
        if not reasons:
            return call
        edited = await self.approvals.asked(state, request, call, reasons)
        if edited is not None:
            call = _changed_to(call, edited)
            await self._validated(call)
        return await self._still_allowed(state, call)

    async def _still_allowed(self, state: RunState, call: ToolCall) -> ToolCall:
        """After a wait: the tool is still the same one, and policy still allows the call."""
        tool = await resolved(state, call.tool.id)
        if (tool.digest, tool.origin) != (call.tool.digest, call.tool.origin):
            raise _changed(tool)
        await self._policy(state, call)
        return call

    async def _execute(self, state: RunState, call: ToolCall, trace: Trace) -> ToolResult:
        tool = call.tool
        if tool.output_schema is not None:
            try:
                await self.validators.prepared(tool.digest + ":out", tool.output_schema)
            except SchemaProblem as problem:
                raise _unusable(tool, "output", problem) from problem
        open_still(state)
        self.execution.left.refuse(call)
        source = state.source_of(tool)
        timeout_ms = state.time_left_ms(tool.timeout_ms or self.limits.tool_timeout_ms)
        trace.executed = True
        return await self.execution(source, call, timeout_ms, state.ended, trace)

    async def _checked(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """A result that violates the tool's own output schema is an error that carries it."""
        tool = call.tool
        if tool.output_schema is None or result.is_error:
            return result
        try:
            violations = await self.validators.check(
                tool.digest + ":out", tool.output_schema, result.value, of=tool.id
            )
        except SchemaProblem:
            return _unchecked(result)
        if not violations:
            return result
        failure = CallFailure(
            code=ErrorCode.INVALID_RESULT,
            message="the tool ran, but its result does not fit its own output schema "
            f"({violations[0].path or 'the whole'}); side effects may have happened",
            tool=tool.id,
            executed=True,
        )
        return result.model_copy(update={"error": failure})


def enveloped(tool: Mapping[str, str], result: ToolResult) -> ToolResult:
    """A result as `call` gives it: `{tool: {id, name, source}, result}` (S5.4)."""
    if result.is_error:
        return result
    return result.model_copy(update={"value": {"tool": tool, "result": result.value}})


def _changed_to(call: ToolCall, arguments: Mapping[str, Any]) -> ToolCall:
    """The call with other arguments, of a hook or a person. Raises CallError."""
    try:
        return call.model_copy(update={"arguments": plain(arguments)})
    except ArgumentProblem as problem:
        raise fail(ErrorCode.INVALID_ARGUMENTS, str(problem), tool=call.tool.id) from problem


def _crossable(tool: Tool, request: CallRequest) -> None:
    """Refuse what cannot cross the compact bridge: the model has such a tool directly (S2)."""
    if tool.catalog_mode == "direct-only" and request.via in {"tool_call", "bridge"}:
        raise fail(
            ErrorCode.INVALID_ARGUMENTS,
            f"{tool.name} is given to you directly: call it by its own name. Not executed.",
            tool=tool.id,
        )


def _turn(state: RunState, tool: Tool) -> AbstractAsyncContextManager[bool | None]:
    """A turn among the calls of the run; what the caller performs itself takes no place."""
    if tool.source == "client" and tool.catalog_mode == "direct-only":
        return nullcontext(False)
    return state.sequencer.turn(exclusive=tool.sequential)


def _unchecked(result: ToolResult) -> ToolResult:
    """A result too large or too deep to be checked is given, and said to be unchecked."""
    note = "the result was too large to be checked against the tool's output schema"
    said = note if result.note is None else f"{result.note}; {note}"
    return result.model_copy(update={"note": said})


def _changed(tool: Tool) -> CallError:
    return fail(
        ErrorCode.UNAVAILABLE,
        "the tool was changed by its source while the call waited. Not executed.",
        tool=tool.id,
        retryable=True,
    )


def _unusable(tool: Tool, which: str, problem: SchemaProblem) -> CallError:
    return fail(
        ErrorCode.UNAVAILABLE,
        f"the tool's own {which} schema cannot be used: {problem}. Not executed.",
        tool=tool.id,
    )


def _own_mark(tool: Tool) -> tuple[AskReason, ...]:
    return () if tool.approval is None else (AskReason(by=tool.id, reason=tool.approval),)
