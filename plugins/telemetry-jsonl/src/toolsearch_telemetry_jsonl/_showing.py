"""Tables and charts for a terminal, as plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from ._reading import Logged
from ._summary import RunSummary, Totals

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR = 30
HEAD = (
    f"{'run':<20}  {'began (UTC)':<16}  {'mode':<9}  {'schemas':>7}  {'up front':>9}  {'direct':>9}"
)
INDENTED: Mapping[str, Any] = {
    "width": 80,
    "initial_indent": "  ",
    "subsequent_indent": "    ",
    "break_long_words": False,
    "break_on_hyphens": False,
}


def runs_text(runs: Sequence[RunSummary]) -> str:
    """A line a run with what it saw up front, and below it what it did; within 80 columns, unless
    a name of a tool is longer.
    """
    lines = [HEAD]
    for run in runs:
        began = run.began[:16].replace("T", " ")
        lines.append(
            f"{plain(run.run):<20}  {plain(began):<16}  {plain(run.mode):<9}  "
            f"{run.visible_tools:>7}  {size(run.sent_bytes):>9}  {size(run.direct_bytes):>9}"
        )
        lines.append(fill(plain(_deeds(run)), **INDENTED))
    return "\n".join(lines)


def _deeds(run: RunSummary) -> str:
    """What a run did, and which tool it called last."""
    counts = [
        (run.searches, "search", "searches"),
        (run.describes, "describe", "describes"),
        (run.code_runs, "body", "bodies"),
        (run.calls, "call", "calls"),
        (run.denials, "denied", "denied"),
        (run.errors, "error", "errors"),
    ]
    did = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    said = ", ".join(did) or "nothing searched or called"
    if run.final_tool is None:
        return said
    failed = " (failed)" if run.final_ok is False else ""
    return f"{said}; last {run.final_tool}{failed}, from {run.final_from or '-'}"


def totals_chart(totals: Totals) -> str:
    """Bytes sent up front against direct exposure, by mode, and executed calls by origin."""
    parts = ["bytes up front, against direct exposure"]
    most = max((max(pair) for pair in totals.by_mode.values()), default=0)
    for mode, (sent, direct) in totals.by_mode.items():
        parts.append(bar(mode, sent, most, size(sent)))
        parts.append(bar("  direct", direct, most, size(direct)))
    parts.append("executed calls, by where they ran")
    most = max(totals.by_origin.values(), default=0)
    parts += [bar(origin, calls, most, str(calls)) for origin, calls in totals.by_origin.items()]
    if not totals.by_origin:
        parts.append("  none")
    return "\n".join(parts)


def bar(label: str, value: float, most: float, said: str) -> str:
    """One bar, to an eighth of a character."""
    eighths = 0 if most <= 0 else round(value / most * BAR * 8)
    if value > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    drawn = BLOCKS[-1] * full + (BLOCKS[rest] if rest else "")
    return f"  {plain(label):<12.12} {drawn:<{BAR}} {said}".rstrip()


def event_line(event: Logged) -> str:
    """One event on one line."""
    words = " ".join(f"{key}={_word(value)}" for key, value in event.data.items())
    content = event.whole.get("content")
    if isinstance(content, Mapping):
        words += " | " + " ".join(f"{key}={_word(value)}" for key, value in content.items())
    return plain(f"{event.at} {event.run or '-'} {event.type} {words}".rstrip())


def size(count: int) -> str:
    """Bytes as a person says them."""
    if count < 1024:
        return f"{count} B"
    kilo = count / 1024
    return f"{kilo:.1f} KB" if kilo < 1024 else f"{kilo / 1024:.1f} MB"


def plain(text: str) -> str:
    """Text of a tool, without what could steer a terminal or turn the line around."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"} else char
        for char in text
    )


def _word(value: Any) -> str:
    import json

    return (
        value
        if isinstance(value, str) and " " not in value
        else json.dumps(value, ensure_ascii=False)
    )
