"""What is recorded of one call."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

import attrs

from toolsearch_hookspecs import CallFailure, ErrorCode, Tool, ToolResult

from ..text import fold
from ._record import Recorder, milliseconds_since
from ._state import CallRequest

CANCELLED = CallFailure(code=ErrorCode.CANCELLED, message="the run cancelled the call")


@attrs.define
class Trace:
    """One call as far as it came, filled as it goes.

    `attempt` is what the loop guard knows the call by: what was asked for, then the tool and the
    arguments that this came to. `left_running` says that the tool was given up and did not end.
    """

    request: CallRequest
    began: float
    attempt: tuple[str, Any]
    tool: Tool | None = None
    arguments: Mapping[str, Any] = attrs.Factory(dict)
    repairs: tuple[str, ...] = ()
    executed: bool = False
    left_running: bool = False

    @classmethod
    def of(cls, request: CallRequest) -> Trace:
        asked = (fold(request.name.strip()), [request.raw, request.extra])
        return cls(request, monotonic(), asked)

    @property
    def about(self) -> dict[str, Any]:
        """The ids of the call, its way in, and its tool where that is known."""
        request, tool = self.request, self.tool
        about: dict[str, Any] = {"call": request.call_id, "via": request.via, "body": request.body}
        if tool is not None:
            about |= {"tool": tool.id, "source": tool.source, "owner": tool.owner}
        return about

    def internal_failure(self) -> CallFailure:
        """What is said of a mistake of the host's own."""
        ran = "side effects may have happened" if self.executed else "not executed"
        return CallFailure(
            code=ErrorCode.INTERNAL,
            message=f"the host failed with this call; {ran}",
            tool=None if self.tool is None else self.tool.id,
            executed=self.executed,
        )

    def record(self, recorder: Recorder, result: ToolResult | None) -> None:
        """Tell how the call ended; without a result it was cancelled."""
        failure = CANCELLED if result is None else result.error
        data = self.about | {
            "ok": failure is None,
            "code": failure.code.value if failure else None,
            "by": failure.by if failure else None,
            "executed": self.executed,
            "leftRunning": self.left_running or None,
            "repairs": len(self.repairs) or None,
            "ms": milliseconds_since(self.began),
        }
        content: dict[str, Any] = {
            "arguments": self.arguments,
            "result": result.value if result else None,
        }
        if self.repairs:
            content["repairs"] = list(self.repairs)
        recorder.call_ended(data, self.tool, failure, self.executed, content)
