"""Printing: results on the output stream, everything else on the error stream, all of it clean."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import click

from ..text import clean, one_line

GAP = "  "


@attrs.define
class Output:
    """Where a command prints. No text reaches the terminal but through `clean`: nothing that a
    tool or a server says can move the cursor, colour the screen or turn the line around.
    """

    json: bool = False
    verbose: int = 0

    def data(self, data: Any) -> None:
        """One JSON document on the output stream."""
        text = json.dumps(data, ensure_ascii=False, indent=2, default=_plain)
        click.echo(clean_json(text))

    def text(self, text: str = "", **style: Any) -> None:
        """Text for people on the output stream, styled where that is a terminal."""
        click.echo(click.style(clean(text), **style) if style else clean(text))

    def note(self, text: str) -> None:
        """A word on the error stream, also beside JSON."""
        click.echo(clean(text), err=True)

    def warning(self, text: str, cure: str | None = None) -> None:
        said = f"{click.style('warning', fg='yellow')}: {clean(text)}"
        click.echo(said if cure is None else f"{said}\n  {clean(cure)}", err=True)

    def failure(self, text: str) -> None:
        """What went wrong, on the error stream."""
        click.echo(f"{click.style('error', fg='red')}: {clean(text)}", err=True)

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Columns: laid out to the width of a terminal, or aligned and never cut elsewhere."""
        cells = [[one_line(_cell(value), 10_000) for value in row] for row in rows]
        if sys.stdout.isatty():
            self._rich_table(titles, cells)
            return
        for row in ([title.upper() for title in titles], *cells):
            widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
            padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
            click.echo(GAP.join(padded).rstrip())

    def _rich_table(self, titles: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for title in titles:
            table.add_column(title, overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        Console(highlight=False, markup=False, emoji=False).print(table)

    def diagnostics(self, diagnostics: Iterable[Any], *, everything: bool = False) -> None:
        """Warnings and errors on the error stream, each once; the rest where asked for."""
        seen: set[str] = set()
        for each in diagnostics:
            mild = each.level == "info"
            if each.message in seen or (mild and not (self.verbose or everything)):
                continue
            seen.add(each.message)
            place = each.subject or ""
            said = each.message
            if ":" in place and place not in said:
                said = f"{said} ({place})"
            if mild:
                self.note(f"note: {said}" + (f"\n  {each.cure}" if each.cure else ""))
            else:
                self.warning(said, each.cure)


def clean_json(text: str) -> str:
    """JSON in which what acts on a terminal is escaped, so that the document stays equal."""
    if text.isascii():
        return text
    return "".join(
        char if char == "\n" or clean(char) == char else json.dumps(char)[1:-1] for char in text
    )


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case int() if not isinstance(value, bool):
            return f"{value:,}"
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return dict(value)
        case set() | frozenset() | tuple():
            return list(value)
        case _ if hasattr(value, "model_dump"):
            return value.model_dump(mode="json", by_alias=True)
        case _:
            return str(value)
