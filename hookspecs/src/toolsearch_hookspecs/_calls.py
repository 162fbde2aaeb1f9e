"""Calls, their results and their failures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from ._model import Record
from ._runs import RunContext
from ._tools import Tool

Via = Literal["tool_call", "bridge", "hydration", "direct", "cli", "resume"]


class ErrorCode(StrEnum):
    """Why a call failed; the `code` that the model and a body's `catch` see."""

    BLOCKED = "blocked"
    INVALID_ARGUMENTS = "invalid_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    AMBIGUOUS_TOOL = "ambiguous_tool"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    TOOL_ERROR = "tool_error"
    INVALID_RESULT = "invalid_result"
    WITHHELD = "withheld"
    LOOP = "loop"
    TOO_MANY_CALLS = "too_many_calls"
    APPROVAL_PENDING = "approval_pending"
    CODE_FAILED = "code_failed"
    INTERNAL = "internal"


class ToolCall(Record):
    """One real call on its way to its tool.

    `id` is the same before and after; `arguments` are the repaired ones (a hook that wants others
    answers `Proceed(arguments=...)`). `body` is the call id of the code body that made it.
    """

    id: str
    tool: Tool
    arguments: Mapping[str, Any]
    run: RunContext
    via: Via
    body: str | None = None


class CallFailure(Record):
    """A failure as the model sees it: no stack trace, no path of the host, no secret.

    `executed` says whether the tool ran (or may have run): side effects may have happened.
    `by` names who blocked it: a policy's plugin and entry, a hook's plugin, an approver.
    """

    code: ErrorCode
    message: str
    tool: str | None = None
    retryable: bool = False
    by: str | None = None
    executed: bool = False


class AskReason(Record):
    """Who asked for the approval, and why."""

    by: str
    reason: str


class ApprovalRequest(Record):
    """What an approver is shown: the real tool, its real arguments, who asks and why.

    `digest` covers tool digest and arguments: an answer holds for exactly these. `expires` is
    when the host takes silence for a no. `seal` lets the host that made the request know it
    again when it comes back as JSON, in another process too. `handed_over`: the caller is given it
    and may well answer itself.
    """

    id: str
    call: ToolCall
    reasons: tuple[AskReason, ...]
    digest: str
    created: datetime
    expires: datetime
    handed_over: bool = False
    seal: str | None = None

    @property
    def tool(self) -> Tool:
        return self.call.tool


class ToolResult(Record):
    """What a call gave: a JSON value, or a failure (with a value where there is one to show).

    `note` is said to the model beside the value: what was cut and how to read on, what a hook
    changed. `meta` is for hooks and telemetry and never reaches the model.

    Two results are not final: `pending` waits for a person (go on with `host.resume`), and
    `handed_back` is a call that the caller performs itself (go on with `run.deliver`).
    """

    value: Any = None
    error: CallFailure | None = None
    note: str | None = None
    meta: Mapping[str, Any] = {}
    pending: ApprovalRequest | None = None
    handed_back: ToolCall | None = None

    @property
    def is_error(self) -> bool:
        return self.error is not None

    @property
    def text(self) -> str:
        """The result as one string for a provider's tool message."""
        if self.error is not None:
            error = self.error.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            error.setdefault("code", self.error.code.value)
            shown: Any = {"error": error}
            if self.value is not None:
                shown["result"] = self.value
        elif isinstance(self.value, str) and self.note is None:
            return self.value
        else:
            shown = self.value if self.note is None else {"result": self.value}
        if self.note is not None:
            shown["note"] = self.note
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"), default=str)
