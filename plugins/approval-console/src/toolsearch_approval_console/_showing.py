"""A request as a person reads it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs import ApprovalRequest

LONGEST = 4000
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def request_text(request: ApprovalRequest) -> str:
    """What is to be approved: the tool, who asks and why, and the arguments as executed."""
    tool, run = request.tool, request.call.run
    trust = "" if tool.trusted else " (untrusted)"
    lines = (
        f"approval needed: {tool.id}{trust}, by {tool.origin}",
        f"  agent {run.agent}, session {run.session or '-'}; request {request.id}",
        *(f"  {reason.by}: {reason.reason}" for reason in request.reasons),
    )
    return "\n".join((*map(plain, lines), arguments_text(request.call.arguments)))


def arguments_text(arguments: Mapping[str, Any]) -> str:
    text = json.dumps(dict(arguments), ensure_ascii=False, indent=2, default=str)
    cut = f"\n… {len(text) - LONGEST} more characters" if len(text) > LONGEST else ""
    return "\n".join(map(plain, text[:LONGEST].split("\n"))) + cut


def plain(text: str) -> str:
    """Text without what could steer a terminal or turn the line around."""
    return "".join("\ufffd" if unicodedata.category(char) in HIDDEN else char for char in text)
