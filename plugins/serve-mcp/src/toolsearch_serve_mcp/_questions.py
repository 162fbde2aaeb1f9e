"""Approval through the protocol's own way of asking a person."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject, Tool

if TYPE_CHECKING:
    from mcp_types import ElicitResult

APPROVER = "mcp client"
MAX_ARGUMENTS = 4_000

_ONCE, _SESSION, _ALWAYS, _DENY = (
    "approve once",
    "approve for this session",
    "always approve",
    "deny",
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Decision",
            "enum": [_ONCE, _SESSION, _ALWAYS, _DENY],
        }
    },
    "required": ["decision"],
}


def question(request: ApprovalRequest) -> str:
    """What the person is shown: the real tool, what it says of itself, its real arguments."""
    tool = request.tool
    lines = [f"Allow {_plain(tool.id)}?", f"Executed by {_plain(tool.origin)}. {effects(tool)}"]
    lines += [f"Asked by {_plain(asked.by)}: {_plain(asked.reason)}" for asked in request.reasons]
    return "\n".join([*lines, "Arguments:", arguments_text(request.call.arguments)])


def effects(tool: Tool) -> str:
    """The annotations in words; what an untrusted tool says in its own favour is not repeated."""
    said = tool.annotations
    if said.read_only and tool.trusted:
        return "It only reads."
    words = (
        "It may change or destroy things" if said.destructive is not False else "It changes things"
    )
    if not tool.trusted and said.destructive is False:
        words = "It may change or destroy things"
    return f"{words}{' and reach outside' if said.open_world is not False else ''}."


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON; a cut is said, since what is not seen cannot be judged."""
    text = json.dumps(dict(arguments), ensure_ascii=True, indent=1, default=str)
    if len(text) <= MAX_ARGUMENTS:
        return text
    return f"{text[:MAX_ARGUMENTS]}\n… {len(text) - MAX_ARGUMENTS} characters more are NOT SHOWN"


def decision_of(answer: ElicitResult) -> ApprovalDecision:
    """The person's answer; whatever is no clear yes is a no."""
    match answer.action, (answer.content or {}).get("decision"):
        case "accept", str(decision) if decision == _ONCE:
            return Approve(scope="once", by=APPROVER)
        case "accept", str(decision) if decision == _SESSION:
            return Approve(scope="session", by=APPROVER)
        case "accept", str(decision) if decision == _ALWAYS:
            return Approve(scope="always", by=APPROVER)
    return Reject(by=APPROVER)


def _plain(text: str) -> str:
    """One line in which every character is seen."""
    seen = "".join(c if unicodedata.category(c)[0] not in "CZ" else " " for c in text)
    return " ".join(seen.split())
