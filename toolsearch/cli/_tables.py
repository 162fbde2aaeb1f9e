"""Tables: laid out to the width of a terminal, or aligned and never cut where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

GAP = "  "
LAST_COLUMN = 24
"""The last column, which holds sentences, is not made narrower than this: it goes below."""

Cells = Sequence[Sequence[str]]


def aligned(titles: Sequence[str], cells: Cells) -> Iterator[str]:
    """The lines of a table for a file or a pipe."""
    rows = [[title.upper() for title in titles], *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield _line(row, widths, len)


def print_fitted(titles: Sequence[str], cells: Cells) -> None:
    """Print a table into the width of the terminal: the last column is wrapped, or stands below
    the others where it has no room beside them; only where they have none either are they cut.
    """
    from rich.cells import cell_len
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    widths = [max(map(cell_len, column)) for column in zip(titles, *cells, strict=True)]
    others = sum(widths[:-1]) + len(GAP) * (len(widths) - 1)
    beside = others + min(widths[-1], LAST_COLUMN) <= console.width
    if beside or others - len(GAP) > console.width or len(widths) == 1:
        _print_beside(console, titles, cells, cut=not beside)
        return
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(_line(titles[:-1], widths[:-1], cell_len), style="bold"))
    for row in cells:
        console.print(Text(_line(row[:-1], widths[:-1], cell_len)))
        if row[-1]:
            console.print(Padding(Text(row[-1]), (0, 0, 0, 2 * len(GAP))))


def _print_beside(console: Any, titles: Sequence[str], cells: Cells, *, cut: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, len(GAP), 0, 0), pad_edge=False, header_style="bold")
    for title in titles[:-1]:
        table.add_column(title, overflow="fold", no_wrap=not cut)
    table.add_column(titles[-1], overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _line(row: Sequence[str], widths: Sequence[int], length: Callable[[str], int]) -> str:
    padded = (text + " " * (width - length(text)) for text, width in zip(row, widths, strict=True))
    return GAP.join(padded).rstrip()
