"""Requests and grants as plain text for a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from ._records import Grant, State, StoredRequest

LONGEST = 4000


def requests_table(requests: Sequence[StoredRequest], now: float) -> str:
    return _table(
        ("id", "state", "tool", "agent", "asked", "left"),
        [
            (
                request.id,
                request.state_at(now).value,
                request.body["call"]["tool"]["id"],
                request.body["call"]["run"]["agent"],
                _time(request.created),
                f"{max(request.expires - now, 0):.0f} s"
                if request.state_at(now) is State.PENDING
                else "-",
            )
            for request in requests
        ],
    )


def grants_table(grants: Sequence[Grant]) -> str:
    return _table(
        ("id", "tool", "agent", "holds", "by", "since"),
        [
            (
                str(grant.id),
                grant.tool,
                grant.agent + (f" ({grant.principal})" if grant.principal else ""),
                "revoked"
                if grant.revoked
                else "always"
                if grant.session is None
                else f"session {grant.session}",
                grant.by,
                _time(grant.created),
            )
            for grant in grants
        ],
    )


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


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [columns, *(tuple(map(plain, row)) for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
