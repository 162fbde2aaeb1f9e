"""Printing: results on the output stream, everything else on the error stream, all of it clean."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

import attrs
import click

from ..text import clean, one_line
from ._tables import aligned, print_fitted


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

    def prose(self, text: str, **style: Any) -> None:
        """A sentence for people on the output stream, in lines that fit its terminal."""
        self.text(_fitted(clean(text), sys.stdout), **style)

    def note(self, text: str) -> None:
        """A word on the error stream, also beside JSON."""
        click.echo(_fitted(clean(text), sys.stderr), err=True)

    def warning(self, text: str, cure: str | None = None) -> None:
        self._said("warning", "yellow", text if cure is None else f"{text}\n  {cure}")

    def failure(self, text: str) -> None:
        """What went wrong, on the error stream."""
        self._said("error", "red", text)

    def _said(self, word: str, colour: str, text: str) -> None:
        said = _fitted(f"{word}: {clean(text)}", sys.stderr).removeprefix(word)
        click.echo(f"{click.style(word, fg=colour)}{said}", err=True)

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Columns: laid out to the width of a terminal, or aligned and never cut elsewhere."""
        cells = [[one_line(_cell(value), 10_000) for value in row] for row in rows]
        if sys.stdout.isatty():
            print_fitted(titles, cells)
            return
        for line in aligned(titles, cells):
            click.echo(line)

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


def _fitted(text: str, stream: TextIO) -> str:
    """The text with its lines broken between words where they are wider than the terminal."""
    if not stream.isatty():
        return text
    import shutil
    from textwrap import wrap

    width = shutil.get_terminal_size().columns
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        broken = wrap(
            line,
            width,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += broken if len(line) > width else [line]
    return "\n".join(lines)


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
