"""The query forms that models already know (S5.2), split from the plain words to rank by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import attrs

from toolsearch_hookspecs import SearchQuery, Tool

from ..text import clean, fold

SELECT = re.compile(r"\s*select:(.*)", re.IGNORECASE | re.DOTALL)
FILTER = re.compile(r"(source|owner|server|hint):([^\s:]+)\Z", re.IGNORECASE)
REQUIRED = re.compile(r"\+(\w[\w.-]*)\Z")
MAX_SELECTED = 50

HINTS: Mapping[str, Callable[[Tool], bool]] = {
    "readonly": lambda tool: tool.annotations.read_only is True and tool.trusted,
    "destructive": lambda tool: (
        tool.annotations.destructive is not False and tool.annotations.read_only is not True
    ),
    "openworld": lambda tool: tool.annotations.open_world is not False,
    "idempotent": lambda tool: tool.annotations.idempotent is True and tool.trusted,
}


@attrs.frozen
class ParsedQuery:
    """`selected` ids or names in their order, as they stand between commas, or words to rank by
    under filters.
    """

    plain: SearchQuery
    selected: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()

    def admits(self, tool: Tool) -> bool:
        """Whether the filters let a tool through; equal filters widen, different ones narrow."""
        by_kind: dict[str, list[str]] = {}
        for kind, value in self.filters:
            by_kind.setdefault(kind, []).append(value)
        return all(
            any(_fits(tool, kind, value) for value in values) for kind, values in by_kind.items()
        )


def parsed(query: str) -> ParsedQuery:
    """Read a query. Never raises: what is no known form is plain text."""
    text = clean(query)
    chosen = SELECT.match(text)
    if chosen is not None:
        kept = tuple(name for name in chosen[1].split(",") if name.strip())[:MAX_SELECTED]
        return ParsedQuery(SearchQuery(text=""), selected=kept)
    plain, required, filters = [], [], []
    for word in text.split():
        if (found := FILTER.match(word)) and _known(found[1], found[2]):
            filters.append((found[1].casefold(), found[2]))
        elif found := REQUIRED.match(word):
            required.append(found[1])
            plain.append(found[1])
        else:
            plain.append(word)
    return ParsedQuery(
        SearchQuery(text=" ".join(plain), required=tuple(required)), filters=tuple(filters)
    )


def _known(kind: str, value: str) -> bool:
    match kind.casefold():
        case "hint":
            return fold(value) in HINTS
        case "source":
            return fold(value) in {"openclaw", "plugin", "mcp", "client"}
        case _:
            return True


def _fits(tool: Tool, kind: str, value: str) -> bool:
    match kind:
        case "source":
            return tool.source == fold(value)
        case "server":
            return tool.source == "mcp" and tool.owner == fold(value)
        case "owner":
            return tool.owner == fold(value)
        case _:
            return HINTS[fold(value)](tool)
