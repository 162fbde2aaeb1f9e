"""JSON as people write it: comments, trailing commas, bare keys, single quotes; read and spliced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

_PIECE = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<mark>[{}\[\]:,])
  | (?P<word>[^\s{}\[\]:,"'/]+)
    """,
    re.VERBOSE | re.DOTALL,
)
STEP = "  "
_OPENS, _CLOSES = "{[", "}]"


@attrs.frozen
class Piece:
    """A string, a mark or a word, and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def parse_jsonc(text: str) -> Any:
    """The value of a text. Raises `ValueError` naming the line where it cannot be read."""
    return json.loads("".join(_without_trailing_commas(_pieces(text))))


def with_members(text: str, section: str, members: Mapping[str, Any]) -> str:
    """The text with members put into an object of its top level; the rest stays as it is.

    A member that is there is replaced. Raises `ValueError` where the text holds no object.
    """
    parse_jsonc(text)
    pieces = list(_pieces(text))
    root = _members(pieces, 0)
    if section not in root:
        return _inserted(text, pieces, (0, _value_end(pieces, 0)), {section: members})
    first, last = root[section]
    inner = _members(pieces, first)
    new = {name: value for name, value in members.items() if name not in inner}
    indent = _indent(text, pieces[first]) + STEP
    edits = [
        (pieces[start].start, pieces[end].end, _indented(members[name], indent))
        for name, (start, end) in inner.items()
        if name in members
    ]
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    if not new:
        return text
    return (
        with_members(text, section, members)
        if edits
        else _inserted(text, pieces, (first, last), new)
    )


def _inserted(
    text: str, pieces: Sequence[Piece], place: tuple[int, int], members: Mapping[str, Any]
) -> str:
    """The text with members at the front of an object, which is spread over lines if it was not."""
    opening, closing = pieces[place[0]], pieces[place[1]]
    outer = _indent(text, opening)
    lines = [f"{json.dumps(key)}: {_indented(members[key], outer + STEP)}" for key in members]
    added = f",\n{outer}{STEP}".join(lines)
    head, body, tail = text[: opening.end], text[opening.end : closing.start], text[closing.start :]
    if place[1] == place[0] + 1 and not body.strip():
        return f"{head}\n{outer}{STEP}{added}\n{outer}{tail}"
    comma = "," if place[1] > place[0] + 1 else ""
    first = body.split("\n", 1)[0].strip()
    if "\n" not in body:
        body = f"\n{outer}{STEP}{body.strip()}\n{outer}"
    elif first and not first.startswith("//"):
        body = f"\n{outer}{STEP}{body.lstrip()}"
    return f"{head}\n{outer}{STEP}{added}{comma}{body}{tail}"


def _indent(text: str, piece: Piece) -> str:
    """The blanks with which the line of a piece begins."""
    line = text[text.rfind("\n", 0, piece.start) + 1 : piece.start]
    return line[: len(line) - len(line.lstrip())]


def _indented(value: Any, indent: str) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", f"\n{indent}")


def _members(pieces: Sequence[Piece], opening: int) -> dict[str, tuple[int, int]]:
    """The members of the object that opens at a piece: first and last piece of each value."""
    if opening >= len(pieces) or pieces[opening].text != "{":
        raise ValueError("an object is expected")
    found: dict[str, tuple[int, int]] = {}
    at = opening + 1
    while pieces[at].text != "}":
        if pieces[at].text == ",":
            at += 1
            continue
        key = json.loads(_as_json(pieces[at], is_key=True))
        last = _value_end(pieces, at + 2)
        found[key] = (at + 2, last)
        at = last + 1
    return found


def _value_end(pieces: Sequence[Piece], at: int) -> int:
    depth = 0
    while True:
        depth += (pieces[at].text in _OPENS) - (pieces[at].text in _CLOSES)
        if depth == 0:
            return at
        at += 1


def _pieces(text: str) -> Iterator[Piece]:
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text):
        found = _PIECE.match(text, position)
        if found is None:
            line = text.count("\n", 0, position) + 1
            raise ValueError(f"line {line}: {text[position]!r} is not understood")
        if found.lastgroup is not None and found.lastgroup != "space":
            yield Piece(found.lastgroup, found[0], position, found.end())
        position = found.end()


def _without_trailing_commas(pieces: Iterator[Piece]) -> Iterator[str]:
    waiting: Piece | None = None
    for piece in pieces:
        if waiting is not None and not (waiting.text == "," and piece.text in _CLOSES):
            yield _as_json(waiting, is_key=piece.text == ":")
        waiting = piece
    if waiting is not None:
        yield _as_json(waiting, is_key=False)


def _as_json(piece: Piece, *, is_key: bool) -> str:
    match piece:
        case Piece(kind="string", text=text) if text.startswith("'"):
            inner = re.sub(
                r"\\(.)",
                lambda escape: "'" if escape[1] == "'" else escape[0],
                text[1:-1],
                flags=re.DOTALL,
            )
            return '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'
        case Piece(kind="word", text=text) if is_key:
            return json.dumps(text)
    return piece.text
