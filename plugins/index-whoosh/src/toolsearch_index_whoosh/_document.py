"""What of a tool is indexed, and how much each part counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Tool

from ._languages import Languages, all_stops
from ._settings import IndexSettings

NAME = 3.0
OWNER = 1.5
DESCRIPTION = 1.0
PARAMETER = 0.5
OWNER_DESCRIPTION = 0.5

# BM25: how soon a word's repetition stops counting, how much a long text counts against it, and
# the length that a tool usually has. A length of all tools' own would differ from run to run;
# between 36 and 60 it makes no difference to what is found.
K1 = 1.5
B = 0.75
USUAL_LENGTH = 50.0

# A text counts against its tool up to here: a manual of a thousand words is no reason to find a tool
# less by its name.
LONGEST_LENGTH = 150.0

# A share is a whole number, so many to one.
SHARE = 16_384

MAX_ALIASES = 8
MAX_ALIAS = 200
MAX_TEXT = 4_000
MAX_OWNER_TEXT = 1_000
MAX_PARAMETERS = 60
MAX_PARAMETERS_UNTRUSTED = 24
MAX_PARAMETER_NAME = 100
MAX_PARAMETER_TEXT = 300
MAX_DEPTH = 3


@frozen
class Document:
    """A tool as it is indexed: the share of each term and of each pair of neighbours (BM25's, before
    rarity; `SHARE` to one), the terms of its name, and the languages that it was told to be in.
    """

    key: str
    body: Mapping[str, int]
    pairs: Mapping[str, int]
    name: tuple[str, ...]
    tongues: tuple[str, ...] = ()


class Documents:
    """Turns tools into documents."""

    def __init__(self, settings: IndexSettings, languages: Languages) -> None:
        self._settings = settings
        self._languages = languages

    def document(self, tool: Tool) -> Document:
        languages = self._languages
        description = tool.description[:MAX_TEXT]
        label = tool.label or ""
        tongues = languages.told(f"{description} {label}")
        stops = all_stops(tongues)
        name = languages.terms(tool.name, stops)
        described = languages.terms(description, stops)
        parts = (
            (label, DESCRIPTION, 1),
            ("\n".join(alias[:MAX_ALIAS] for alias in tool.aliases[:MAX_ALIASES]), DESCRIPTION, 1),
            (tool.owner, OWNER, 2),
            (tool.owner_description[:MAX_OWNER_TEXT], OWNER_DESCRIPTION, 6),
            (self._parameter_texts(tool), PARAMETER, 6),
        )
        body: dict[str, float] = {}
        length = _add(body, name, NAME, 2) + _add(body, described, DESCRIPTION, 3)
        for text, weight, most in parts:
            length += _add(body, languages.terms(text, stops), weight, most)
        if tongues:
            for text, weight, most in ((tool.name, NAME, 2), (description, DESCRIPTION, 3), *parts):
                _add(body, languages.stems(text, tongues, stops), weight, most)
        pairs = dict.fromkeys(_pairs(described), int(DESCRIPTION * SHARE))
        pairs.update(dict.fromkeys(_pairs(name), int(NAME * SHARE)))
        return Document(
            key=tool.key,
            body=_shares(body, length),
            pairs=pairs,
            name=tuple(dict.fromkeys(name)),
            tongues=tuple(tongue.code for tongue in tongues),
        )

    def _parameter_texts(self, tool: Tool) -> str:
        if not tool.trusted and self._settings.untrusted_parameters == "off":
            return ""
        most = MAX_PARAMETERS if tool.trusted else MAX_PARAMETERS_UNTRUSTED
        return "\n".join(
            f"{name[:MAX_PARAMETER_NAME]}\n{text[:MAX_PARAMETER_TEXT]}"
            for name, text in islice(_parameters(tool.input_schema, MAX_DEPTH), most)
        )


def _parameters(schema: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Names and descriptions of the parameters of a schema, outer ones first."""
    if depth == 0 or not isinstance(schema, Mapping):
        return
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    for name, property_ in properties.items():
        text = property_.get("description") if isinstance(property_, Mapping) else None
        yield str(name), text if isinstance(text, str) else ""
    for property_ in properties.values():
        if isinstance(property_, Mapping):
            yield from _parameters(property_, depth - 1)
            yield from _parameters(property_.get("items"), depth - 1)


def _add(body: dict[str, float], terms: list[str], weight: float, most: int) -> float:
    """Add the terms of one part of a tool, each counted `most` times at most; the part's weight.

    What is repeated beyond that makes the document longer, and so counts against it.
    """
    for term, count in Counter(terms).items():
        body[term] = body.get(term, 0.0) + weight * min(count, most)
    return weight * len(terms)


def _shares(body: Mapping[str, float], length: float) -> dict[str, int]:
    full = SHARE * (K1 + 1)
    norm = K1 * (1 - B + B * min(length, LONGEST_LENGTH) / USUAL_LENGTH)
    return {term: int(full * weight / (weight + norm)) for term, weight in body.items()}


def _pairs(terms: list[str]) -> Iterator[str]:
    return map(" ".join, pairwise(terms))
