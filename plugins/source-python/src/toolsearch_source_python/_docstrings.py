"""What a docstring says of a function and of each of its parameters."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DESCRIPTION = 1_200


@attrs.frozen
class Docstring:
    """`description` is for the whole function, `parameters` are the texts by name."""

    description: str = ""
    parameters: Mapping[str, str] = attrs.field(factory=dict)


def docstring(function: Any, name: str) -> Docstring:
    """Read the docstring of a function: Google, NumPy and reST styles are understood."""
    text = inspect.getdoc(function)
    if not text:
        return Docstring()
    from docstring_parser import ParseError, parse

    text = _without_signature(text, name)
    try:
        parsed = parse(text)
    except (ParseError, ValueError, IndexError):
        return Docstring(_bounded(text))
    parts = [parsed.short_description, parsed.long_description]
    if parsed.returns is not None and parsed.returns.description:
        parts.append(f"Returns: {parsed.returns.description}")
    described = "\n\n".join(part for part in parts if part)
    parameters = {
        wanted.lstrip("*"): " ".join(param.description.split())
        for param in parsed.params
        if param.description and param.args and param.args[0] != "attribute"
        for wanted in param.arg_name.split(", ")
    }
    return Docstring(_bounded(described), parameters)


def _without_signature(text: str, name: str) -> str:
    """C functions often open with their signature, which the schema says better."""
    lines = text.split("\n")
    while lines and re.match(rf"(\w+\.)*{re.escape(name)}\(", lines[0]):
        _, dash, rest = lines[0].partition(" -- ")
        if dash:
            return "\n".join([rest, *lines[1:]]).strip()
        lines = lines[_length(lines) :]
    return "\n".join(lines).strip() or text


def _length(lines: list[str]) -> int:
    """How many lines a signature takes: until its parentheses are closed."""
    open_parentheses = 0
    for at, line in enumerate(lines, 1):
        open_parentheses += line.count("(") - line.count(")")
        if open_parentheses <= 0:
            return at
    return len(lines)


def _bounded(text: str) -> str:
    """Whole paragraphs before the first example, at most `MAX_DESCRIPTION` characters."""
    kept: list[str] = []
    length = 0
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.lstrip().startswith(">>>"):
            break
        if kept and length + len(paragraph) > MAX_DESCRIPTION:
            break
        kept.append(paragraph.strip())
        length += len(paragraph)
    return "\n\n".join(kept)[:MAX_DESCRIPTION].rstrip(" \n:")
