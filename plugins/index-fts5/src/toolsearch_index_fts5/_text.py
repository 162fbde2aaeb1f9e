"""Prepares texts for SQLite's tokenizer: identifiers split, runs without spaces in pairs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from toolsearch_hookspecs import Tool

MAX_TEXT = 4_000
MAX_REPEATS = 3
MAX_PARAMETERS = 40
MAX_PARAMETER_TEXT = 300
MAX_TERMS = 64
MAX_QUERY = 8_192

STOP_WORDS = frozenset(
    """a about all also am an and any are as at be been being both but by can could did do does doing
    for from had has have having he her him his how i if in into is it its just let like me my need
    no nor not of on or our out please she should so some such than that the their them then there
    these they this those to too up us use used using via want was we were what when where which
    while who why will with would you your""".split()
)

# Letters and digits with the marks that some scripts write their vowels with.
_WORD = re.compile(r"[^\W_][\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f]*")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\uac00-\ud7af\U00020000-\U0003ffff]+"
)


def words(text: str) -> Iterator[str]:
    """The words of a text, lower-cased; a run without spaces gives its two-letter pieces."""
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        for part in _HUMP.split(match.group()):
            yield from _pieces(part.casefold())


def _pieces(part: str) -> Iterator[str]:
    position = 0
    for run in _UNSPACED.finditer(part):
        if run.start() > position:
            yield part[position : run.start()]
        letters = run.group()
        yield from (letters[at : at + 2] for at in range(max(1, len(letters) - 1)))
        position = run.end()
    if position < len(part):
        yield part[position:]


def query_words(text: str) -> list[str]:
    """The words of a query that say something, each once."""
    found = dict.fromkeys(word for word in words(text[:MAX_QUERY]) if word not in STOP_WORDS)
    return list(found)[:MAX_TERMS]


def columns(tool: Tool) -> tuple[str, str, str, str]:
    """Name, owner, description and parameters, as they are indexed.

    A word counts a few times at most, whatever its text repeats.
    """
    name = " ".join([tool.name, tool.label or "", *tool.aliases[:8]])
    parameters = islice(_parameters(tool.input_schema, 3), MAX_PARAMETERS)
    texts = (name, tool.owner, f"{tool.description} {tool.owner_description}", " ".join(parameters))
    return tuple(map(_bounded, texts))  # type: ignore[return-value]


def _bounded(text: str) -> str:
    counts: dict[str, int] = {}
    kept = []
    for word in words(text[:MAX_TEXT]):
        counts[word] = counts.get(word, 0) + 1
        if counts[word] <= MAX_REPEATS:
            kept.append(word)
    return " ".join(kept)


def _parameters(schema: Any, depth: int) -> Iterator[str]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if depth == 0 or not isinstance(properties, Mapping):
        return
    for name, value in properties.items():
        described = value.get("description") if isinstance(value, Mapping) else None
        yield f"{name} {described if isinstance(described, str) else ''}"[:MAX_PARAMETER_TEXT]
    for value in properties.values():
        yield from _parameters(value, depth - 1)
