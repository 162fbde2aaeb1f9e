"""Requests and grants as plain text for a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ._records import Grant, State, StoredRequest

LONGEST = 4000


def requests_text(requests: Sequence[StoredRequest], now: float) -> str:
    """Two lines each: what answers it, and what is asked for."""
    lines: list[str] = []
    for request in requests:
        state = request.state_at(now)
        left = f", {max(request.expires - now, 0):.0f} s left" if state is State.PENDING else ""
        call = request.body["call"]
        lines += (
            f"{request.id}  {state.value}{left}  {_time(request.created)}",
            f"  {call['tool']['id']}, for {call['run']['agent']}",
        )
    return "\n".join(map(plain, lines))


def grants_text(grants: Sequence[Grant]) -> str:
    """Two lines each: how it holds and by whom, and what may be called."""
    lines: list[str] = []
    for grant in grants:
        holds = "always" if grant.session is None else f"session {grant.session}"
        state = "revoked" if grant.revoked else holds
        agent = grant.agent + (f" ({grant.principal})" if grant.principal else "")
        lines += (
            f"{grant.id}  {state}, by {grant.by}, {_time(grant.created)}",
            f"  {grant.tool}, for {agent}",
        )
    return "\n".join(map(plain, lines))


def request_text(request: StoredRequest, now: float) -> str:
    """A request in full, with the arguments that would be executed."""
    call = request.body["call"]
    tool, run = call["tool"], call["run"]
    lines = [
        f"request   {request.id} ({request.state_at(now).value})",
        f"tool      {tool['id']}" + ("" if tool["trusted"] else " (untrusted)"),
        f"origin    {tool['origin']}",
        f"agent     {run['agent']}, session {run['session'] or '-'}, channel {run['channel'] or '-'}",
        *(f"asked by  {reason['by']}: {reason['reason']}" for reason in request.body["reasons"]),
        f"expires   {_time(request.expires)}",
    ]
    if request.answered is not None:
        said = f" ({request.scope})" if request.scope else f": {request.message or ''}"
        lines.append(f"answered  {request.state.value} by {request.by}{said}")
    lines.append("arguments")
    lines = [plain(line) for line in lines]
    return "\n".join((*lines, pretty(request.call_arguments)))


def pretty(value: Any) -> str:
    """A value as indented JSON, cut where it is long, safe for a terminal."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    cut = f"\n… {len(text) - LONGEST} more characters" if len(text) > LONGEST else ""
    return "\n".join(map(plain, text[:LONGEST].split("\n"))) + cut


def plain(text: str) -> str:
    """Text without what could steer a terminal or turn the line around."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return "".join("\ufffd" if unicodedata.category(char) in hidden else char for char in text)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
