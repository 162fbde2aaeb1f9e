"""A parsed text as a tree of values that know where they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]

_LINE = re.compile(r"\r\n|\n|\r")
_WORD = re.compile(r"[\w$-]+")


@attrs.frozen
class Entry:
    """One member of an object, or one item of an array (which has no key).

    `start` is the offset of the key, or of the item; `comma` that of the comma behind it.
    """

    key: str | None
    start: int
    node: Node
    comma: int | None


@attrs.frozen
class Node:
    """One value: its offsets in the text, the plain Python value, and what it contains."""

    start: int
    end: int
    value: Any
    entries: tuple[Entry, ...] = ()

    def entry(self, step: str | int) -> Entry | None:
        """The member of that key, or the item of that number."""
        match self.value, step:
            case dict(), str():
                return next((entry for entry in self.entries if entry.key == step), None)
            case list(), int() if 0 <= step < len(self.entries):
                return self.entries[step]
            case _:
                return None


@attrs.frozen
class Lines:
    """Where the lines of a text begin. Lines and columns count from 1, columns in characters."""

    text: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        return cls(text, (0, *(match.end() for match in _LINE.finditer(text))))

    def position(self, offset: int) -> str:
        """`line:column`; a byte order mark takes no column."""
        line = bisect_right(self.starts, offset)
        marked = line == 1 and self.text.startswith("\ufeff")
        return f"{line}:{offset - self.starts[line - 1] + 1 - marked}"


@attrs.frozen
class Tree:
    """A parsed text."""

    lines: Lines
    root: Node

    @property
    def text(self) -> str:
        return self.lines.text

    def walk(self) -> Iterator[tuple[Path, Entry]]:
        """Every member and item with its path, in the order of the text."""
        yield from _walk((), self.root)


def _walk(path: Path, node: Node) -> Iterator[tuple[Path, Entry]]:
    for number, entry in enumerate(node.entries):
        here = (*path, number if entry.key is None else entry.key)
        yield here, entry
        yield from _walk(here, entry.node)


def dotted(path: Path) -> str:
    """`tools.deny.0`: the form in which places are looked up."""
    return ".".join(map(str, path))


def spoken(path: Path) -> str:
    """`tools.deny[0]`, `mcpServers["a.b"]`: the form for people; `path_of` reads it back."""
    said = ""
    for step in path:
        match step:
            case int():
                said += f"[{step}]"
            case str() if _WORD.fullmatch(step):
                said += f".{step}" if said else step
            case _:
                said += '["' + step.replace("\\", "\\\\").replace('"', '\\"') + '"]'
    return said
