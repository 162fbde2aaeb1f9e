"""What the model is told of a body that did not end with a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._calls import target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolsearch_hookspecs import CodeLimits

    from ._frames import Call

_SHOWN = 5


def named(calls: Sequence[Call]) -> str:
    """`call 3 (mcp:x:y), search 4`, at most a few of them."""
    shown = []
    for call in calls[:_SHOWN]:
        tool = target(call)
        shown.append(f"{call.operation} {call.number}" + (f" ({tool})" if tool else ""))
    more = len(calls) - _SHOWN
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def cancelled(calls: Sequence[Call]) -> str:
    return f" Calls still open were cancelled: {named(calls)}." if calls else ""


def lost_logs(lost: bool) -> str:
    return " Log lines written since the body last waited for a call are lost." if lost else ""


def timeout(limits: CodeLimits, calls: Sequence[Call], *, lost: bool) -> str:
    return (
        f"the body did not end within {limits.timeout_ms} ms.{cancelled(calls)}{lost_logs(lost)} "
        "Do less in one body."
    )


def deadlock() -> str:
    return (
        "the body waits for something that never comes: it awaits a promise that no call settles. "
        "There are no timers and no events; await calls of openclaw.tools only."
    )


def memory(limits: CodeLimits, calls: Sequence[Call], *, lost: bool) -> str:
    return (
        f"the body used more than {limits.memory_mb} MB of memory and was ended."
        f"{cancelled(calls)}{lost_logs(lost)} Work on less data at a time."
    )


def result_too_large(limits: CodeLimits) -> str:
    return (
        f"the value returned has more than {limits.max_value_bytes} bytes as JSON. Return only "
        "what is needed: pick fields, filter, or count."
    )


def script_too_large(size: int, limits: CodeLimits) -> str:
    return (
        f"the code has {size} bytes, more than the {limits.max_script_bytes} allowed. "
        "Send a shorter body; data belongs in tools, not in code."
    )


def protocol(reason: str, calls: Sequence[Call]) -> str:
    return f"the body broke the protocol of its runtime ({reason}) and was ended.{cancelled(calls)}"


def crashed(calls: Sequence[Call]) -> str:
    return (
        f"the runtime of the body ended unexpectedly.{cancelled(calls)} What its calls did before "
        "that stays done."
    )


def left_open(count: int, failed: int) -> str:
    tail = f" ({failed} of them failed)" if failed else ""
    return (
        f"{_calls(count)} still open when the body returned and finished first{tail}. "
        "Await calls to use their results."
    )


def refused(count: int) -> str:
    return f"{_calls(count)} refused: the body had reached its bound."


def _calls(count: int) -> str:
    return "1 call was" if count == 1 else f"{count} calls were"
