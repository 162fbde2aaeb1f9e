"""The hooks that stand on the path of every call: before, execute, after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from toolsearch_hookspecs import (
    Ask,
    AskReason,
    BeforeDecision,
    CallError,
    CallFailure,
    Deny,
    ErrorCode,
    Proceed,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
)

from ._answers import BeforeOutcome, Stamped
from ._arguments import own_arguments, own_call
from ._dispatch import Dispatcher
from ._outcome import Accept, Answer, Failure, WrongAnswer, one_of

_RESULT = one_of(ToolResult)
_DECISION: Accept[BeforeDecision | None] = one_of(Proceed, Deny, Ask)


async def before(dispatcher: Dispatcher, call: ToolCall) -> BeforeOutcome:
    """Walk the chain: each sees the arguments as changed so far; the first denial ends it."""
    arguments = own_arguments(call.arguments)
    changed_by: list[str] = []
    asks: list[AskReason] = []
    denied: Stamped[Deny] | None = None
    for each in dispatcher.implementations.of("toolsearch_before_tool_call"):
        plugin = each.plugin.name
        shown = own_call(call, arguments)
        match await dispatcher.ask(each, {"call": shown}, _decision(shown, arguments)):
            case Failure(said=said) if each.closed:
                denied = Stamped(plugin, Deny(reason=f"the hook of {plugin} {said}"))
            case Answer(value=Deny() as deny):
                denied = Stamped(plugin, deny)
            case Answer(value=Ask(reason=reason)):
                asks.append(AskReason(by=plugin, reason=reason))
            case Answer(value=Proceed(arguments=changed)) if changed is not None:
                changed_by.append(plugin)
                arguments = own_arguments(changed)
        if denied is not None:
            break
    return BeforeOutcome(arguments, tuple(changed_by), denied, tuple(asks))


async def execute(
    dispatcher: Dispatcher, call: ToolCall, default: Callable[[ToolCall], Awaitable[ToolResult]]
) -> ToolResult:
    """The first result of an implementation, else that of `default`.

    The deadline of the tool is the caller's. One that failed may have executed, so nothing is
    tried after it.
    """
    for each in dispatcher.implementations.of("toolsearch_execute"):
        outcome = await dispatcher.ask_within(None, each, {"call": own_call(call)}, _RESULT)
        match outcome:
            case Answer(value=ToolResult() as result):
                return result
            case Failure() if each.closed:
                return ToolResult(error=_execution_failure(call, each.plugin.name, outcome))
    return await default(call)


async def after(dispatcher: Dispatcher, call: ToolCall, result: ToolResult) -> ToolResult:
    """Walk the chain. One that fails withholds the result; the others still see the call, but
    what was withheld stays so.
    """
    executed = result.error is None or result.error.executed
    withheld = False
    for each in dispatcher.implementations.of("toolsearch_after_tool_call"):
        values = {"call": own_call(call), "result": result}
        match await dispatcher.ask(each, values, _RESULT):
            case Failure(said=said) if each.closed and not withheld:
                withheld = True
                result = _withheld(call, each.plugin.name, said, executed=executed)
            case Answer(value=ToolResult() as changed) if not withheld:
                result = changed
    return result


def _decision(shown: ToolCall, arguments: dict[str, Any]) -> Accept[BeforeDecision | None]:
    """Accept a decision from a hook that left the arguments it was shown alone.

    A `Proceed` has arguments only where they are others.
    """

    def accept(value: Any) -> BeforeDecision | None:
        if shown.arguments != arguments:
            raise WrongAnswer("it changed call.arguments in place; answer Proceed(arguments=...)")
        decision = _DECISION(value)
        if isinstance(decision, Proceed) and decision.arguments == arguments:
            return Proceed()
        return decision

    return accept


def _execution_failure(call: ToolCall, plugin: str, failure: Failure) -> CallFailure:
    """As for a source: what it raises on purpose is for the model, all else is not."""
    match failure.error:
        case CallError(failure=stated):
            return stated
        case SourceUnavailable() as error:
            code, message, retryable, executed = ErrorCode.UNAVAILABLE, str(error), True, False
        case ToolError() as error:
            code, message, retryable, executed = (
                ErrorCode.TOOL_ERROR,
                str(error),
                error.retryable,
                True,
            )
        case _:
            message = f"the plugin {plugin}, which executes this tool, {failure.said}"
            code, retryable, executed = ErrorCode.INTERNAL, False, True
    return CallFailure(
        code=code,
        message=message,
        tool=call.tool.id,
        retryable=retryable,
        by=plugin,
        executed=executed,
    )


def _withheld(call: ToolCall, plugin: str, said: str, *, executed: bool) -> ToolResult:
    ran = "the tool was executed, but its" if executed else "the tool did not run; its"
    return ToolResult(
        error=CallFailure(
            code=ErrorCode.WITHHELD,
            message=f"{ran} result is withheld: the hook of {plugin} {said}",
            tool=call.tool.id,
            by=plugin,
            executed=executed,
        )
    )
