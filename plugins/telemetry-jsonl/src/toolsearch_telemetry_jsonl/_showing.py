"""Tables and charts for a terminal, as plain text."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from ._reading import Logged
from ._summary import RunSummary, Totals

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR = 30


def runs_table(runs: Sequence[RunSummary]) -> str:
    """A line a run: what it saw up front, what it did, and which tool it called last."""
    columns = (
        "run",
        "mode",
        "schemas up front",
        "sent",
        "direct",
        "searches",
        "describes",
        "calls",
        "final tool",
        "from",
        "denied",
        "errors",
    )
    rows = [
        (
            run.run,
            run.mode,
            str(run.visible_tools),
            size(run.sent_bytes),
            size(run.direct_bytes),
            str(run.searches),
            str(run.describes),
            str(run.calls),
            (run.final_tool or "-") + (" (failed)" if run.final_ok is False else ""),
            run.final_from or "-",
            str(run.denials),
            str(run.errors),
        )
        for run in runs
    ]
    return table(columns, rows, wide=("run", "final tool"))


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


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, wide: Iterable[str]) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        drawn.add_column(column, overflow="fold" if column in wide else "ellipsis")
    for row in rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    width = max(shutil.get_terminal_size().columns, 80)
    output = StringIO()
    Console(file=output, width=width, color_system=None, force_terminal=False).print(drawn)
    return output.getvalue().rstrip()


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
