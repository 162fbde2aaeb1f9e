"""The catalog of one run: what policy left, found by id, by name and by any spelling."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

import attrs

from toolsearch_hookspecs import Allowed, Tool

from ..schemas import Mended, mended
from ..text import Choices, fold, spelling
from ._digest import joined

MOST_ON_LOOP = 1_000


@attrs.frozen
class Ambiguous:
    """A name that several tools of the run have."""

    ids: tuple[str, ...]


@attrs.frozen(slots=False, eq=False)
class Catalog:
    """The tools that one run may use. Equal fingerprints mean equal catalogs.

    `tools` holds all of them, sorted by id; `compacted` those behind the compact surface,
    `visible` those that the model is given (direct-only, and always-visible, which are in the
    catalog too). Built once for a set of sources and denials, and shared between runs.
    """

    tools: tuple[Tool, ...]
    always_visible: tuple[str, ...]
    fingerprint: str

    @classmethod
    def of(cls, tools: Iterable[Tool], always_visible: Sequence[str], *, sources: str) -> Catalog:
        """`sources` is the digest over the sources; what policy left is digested here."""
        kept = tuple(sorted(tools, key=lambda tool: tool.id))
        ids = joined(tool.key for tool in kept)
        return cls(kept, tuple(always_visible), joined((sources, ids, *always_visible)))

    @cached_property
    def by_id(self) -> Mapping[str, Tool]:
        return {tool.id: tool for tool in self.tools}

    @cached_property
    def searchable(self) -> tuple[Tool, ...]:
        """The catalog in the sense of S2: everything but the direct-only."""
        return tuple(tool for tool in self.tools if tool.catalog_mode == "catalog")

    @cached_property
    def visible(self) -> tuple[Tool, ...]:
        return tuple(
            tool
            for tool in self.tools
            if tool.catalog_mode == "direct-only" or self._is_always_visible(tool)
        )

    @cached_property
    def compacted(self) -> tuple[Tool, ...]:
        visible = {tool.id for tool in self.visible}
        return tuple(tool for tool in self.tools if tool.id not in visible)

    @cached_property
    def allowed(self) -> Allowed:
        return _allowed(self.fingerprint, self.by_key)

    @cached_property
    def by_key(self) -> Mapping[str, Tool]:
        return {tool.key: tool for tool in self.searchable}

    @cached_property
    def _sent(self) -> dict[str, Mended]:
        return {}

    def sent(self, tool: Tool) -> Mended:
        """The input schema of a tool as a provider may be sent it."""
        known = self._sent.get(tool.id)
        if known is None:
            known = self._sent[tool.id] = mended(tool.input_schema)
        return known

    @cached_property
    def near(self) -> Choices:
        """The ids, for whatever was asked for and is not there; read once a catalog."""
        return Choices(tool.id for tool in self.tools)

    @cached_property
    def owners(self) -> Mapping[tuple[str, str], int]:
        """How many tools each (kind, owner) has."""
        counts: dict[tuple[str, str], int] = {}
        for tool in self.searchable:
            group = (tool.source, tool.owner)
            counts[group] = counts.get(group, 0) + 1
        return counts

    @cached_property
    def by_source(self) -> Mapping[str, int]:
        """How many tools each kind of source has, direct-only ones included."""
        return dict(Counter(tool.source for tool in self.tools))

    @cached_property
    def _by_fold(self) -> Mapping[str, Tool | list[Tool]]:
        return _grouped(fold, self.tools)

    @cached_property
    def _by_spelling(self) -> Mapping[str, Tool | list[Tool]]:
        return _grouped(spelling, self.tools)

    async def prepared(self) -> Catalog:
        """The catalog, once what a search needs of it was worked out: beside the loop where it is
        large, since that takes longer than others on the loop should wait.
        """
        if len(self.tools) > MOST_ON_LOOP and "_by_spelling" not in self.__dict__:
            self.__dict__.update(await asyncio.to_thread(self._worked_out))
        return self

    def _worked_out(self) -> dict[str, object]:
        by_key = {tool.key: tool for tool in self.searchable}
        return {
            "_by_fold": _grouped(fold, self.tools),
            "_by_spelling": _grouped(spelling, self.tools),
            "by_key": by_key,
            "allowed": _allowed(self.fingerprint, by_key),
        }

    def resolve(self, asked: str) -> Tool | Ambiguous | None:
        """The tool of an id or a unique name (S5.4): a leading `functions.`, outer spaces and
        another case are accepted where the result is unique.
        """
        for word in _readings(asked):
            found = self.by_id.get(word)
            if found is not None:
                return found
        for word in _readings(asked):
            folded = _named(self._by_fold, fold(word))
            match [tool for tool in folded if tool.name == word] or folded:
                case [tool]:
                    return tool
                case []:
                    continue
                case several:
                    return Ambiguous(tuple(tool.id for tool in several))
        return None

    def exact(self, query: str) -> tuple[Tool, ...]:
        """The searchable tools that a query names: by id, by name, then in any spelling."""
        found: dict[str, Tool] = {}
        wanted = fold(query.strip())
        spelt = _named(self._by_spelling, spelling(query))
        for tool in (*_named(self._by_fold, wanted), *spelt):
            if tool.catalog_mode == "catalog":
                found.setdefault(tool.id, tool)
        return tuple(found.values())

    def _is_always_visible(self, tool: Tool) -> bool:
        names = (fold(tool.id), fold(tool.name))
        return any(
            fnmatchcase(name, fold(pattern)) for pattern in self.always_visible for name in names
        )


def _words(tool: Tool) -> tuple[str, ...]:
    return (tool.id, tool.name, f"{tool.owner}.{tool.name}", *tool.aliases)


def _allowed(fingerprint: str, keys: Iterable[str]) -> Allowed:
    return Allowed.model_construct(fingerprint=fingerprint, keys=frozenset(keys))


def _grouped(form: Callable[[str], str], tools: Iterable[Tool]) -> dict[str, Tool | list[Tool]]:
    """The tools by the words that name them. Most words name one: a group for each would be as
    many objects again as there are words, for the garbage collector to look through.
    """
    groups: dict[str, Tool | list[Tool]] = {}
    for tool in tools:
        for word in {form(word): None for word in _words(tool)}:
            known = groups.setdefault(word, tool)
            if isinstance(known, list):
                known.append(tool)
            elif known is not tool:
                groups[word] = [known, tool]
    groups.pop("", None)
    return groups


def _named(groups: Mapping[str, Tool | list[Tool]], word: str) -> Sequence[Tool]:
    match groups.get(word):
        case None:
            return []
        case list() as several:
            return several
        case tool:
            return [tool]


def _readings(asked: str) -> tuple[str, ...]:
    word = asked.strip()
    bare = word.removeprefix("functions.")
    return (word,) if bare == word else (word, bare)
