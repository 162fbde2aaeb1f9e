"""What of a tool is indexed, and how much each part counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Tool

from ._languages import Languages
from ._settings import IndexSettings
from ._words import words

NAME = 3.0
OWNER = 1.5
DESCRIPTION = 1.0
PARAMETER = 0.5
OWNER_DESCRIPTION = 0.5

MAX_TEXT = 4_000
MAX_OWNER_TEXT = 1_000
MAX_PARAMETERS = 60
MAX_PARAMETERS_UNTRUSTED = 24
MAX_PARAMETER_TEXT = 300
MAX_DEPTH = 3


@frozen
class Document:
    """A tool as it is indexed: the weight of each term, pairs of neighbours, and its name."""

    key: str
    body: Mapping[str, float]
    pairs: Mapping[str, float]
    name: tuple[str, ...]
    length: float


class Documents:
    """Turns tools into documents."""

    def __init__(self, settings: IndexSettings, languages: Languages) -> None:
        self._settings = settings
        self._languages = languages

    def document(self, tool: Tool) -> Document:
        name = list(self._terms(tool.name))
        described = list(self._terms(tool.description[:MAX_TEXT]))
        body: dict[str, float] = {}
        _add(body, name, NAME)
        for alias in tool.aliases[:8]:
            _add(body, self._terms(alias[:200]), DESCRIPTION)
        _add(body, self._terms(tool.label or ""), DESCRIPTION)
        _add(body, self._terms(tool.owner), OWNER)
        _add(body, described, DESCRIPTION)
        _add(body, self._terms(tool.owner_description[:MAX_OWNER_TEXT]), OWNER_DESCRIPTION)
        for text in self._parameter_texts(tool):
            _add(body, self._terms(text), PARAMETER)
        pairs: dict[str, float] = {}
        for left, right in _neighbours(name):
            pairs[f"{left} {right}"] = NAME
        for left, right in _neighbours(described):
            pair = f"{left} {right}"
            pairs[pair] = max(pairs.get(pair, 0.0), DESCRIPTION)
        return Document(tool.key, body, pairs, tuple(dict.fromkeys(name)), sum(body.values()))

    def _terms(self, text: str) -> Iterator[str]:
        term = self._languages.term
        return (found for word in words(text) if (found := term(word)) is not None)

    def _parameter_texts(self, tool: Tool) -> Iterator[str]:
        if not tool.trusted and self._settings.untrusted_parameters == "off":
            return
        most = MAX_PARAMETERS if tool.trusted else MAX_PARAMETERS_UNTRUSTED
        for count, (name, text) in enumerate(_parameters(tool.input_schema, MAX_DEPTH)):
            if count >= most:
                return
            yield name[:100]
            yield text[:MAX_PARAMETER_TEXT]


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


def _add(body: dict[str, float], terms: Iterable[str], weight: float) -> None:
    for term in terms:
        body[term] = body.get(term, 0.0) + weight


def _neighbours(terms: list[str]) -> Iterator[tuple[str, str]]:
    return pairwise(terms)
