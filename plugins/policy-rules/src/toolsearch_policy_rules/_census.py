"""Tools filed by everything that entries can name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from toolsearch_hookspecs import Tool

from ._entries import Entry
from ._globs import Words
from ._traits import Traits, traits


class Filed:
    """Places of tools, each under several words."""

    def __init__(self, words_of: Iterable[Iterable[str]]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, words in enumerate(words_of):
            for word in words:
                self._places.setdefault(word, []).append(place)

    @cached_property
    def _words(self) -> Words:
        return Words(self._places)

    def under(self, entry: Entry) -> Iterable[int]:
        if entry.glob is None:
            return self._places.get(entry.text, ())
        fitting = self._words.fitting(entry.glob)
        return chain.from_iterable(map(self._places.__getitem__, fitting))


class Census:
    """Tools by name, id and label; each answer is a set of places in `tools`."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools: Sequence[Traits] = [traits(tool) for tool in tools]

    def matching(self, entries: Iterable[Entry], *, admits: bool) -> set[int]:
        """The places of the tools that one of the entries names; `admits` where they allow."""
        found: set[int] = set()
        for entry in entries:
            match entry.kind:
                case "everything":
                    found.update(range(len(self.tools)))
                case "label":
                    found.update((self.admitting if admits else self.restricting).under(entry))
                case "name":
                    found.update(self.names.under(entry))
                case "id":
                    found.update(self.ids.under(entry))
        return found

    @cached_property
    def names(self) -> Filed:
        return Filed(tool.names for tool in self.tools)

    @cached_property
    def ids(self) -> Filed:
        return Filed(tool.ids for tool in self.tools)

    @cached_property
    def restricting(self) -> Filed:
        return Filed(tool.restricting for tool in self.tools)

    @cached_property
    def admitting(self) -> Filed:
        return Filed(tool.admitting for tool in self.tools)
