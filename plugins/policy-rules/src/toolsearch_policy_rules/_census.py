"""Tools filed by everything that entries can name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from toolsearch_hookspecs import ANY_NAME, Tool

from ._entries import Entry
from ._globs import Words
from ._traits import Traits, traits

Places = Sequence[int]
"""Places of tools in a census; one may stand there more than once."""


class Filed:
    """Places of tools, each under several words."""

    def __init__(self, words_of: Iterable[Iterable[str]]) -> None:
        self.places: dict[str, list[int]] = {}
        for place, words in enumerate(words_of):
            for word in words:
                self.places.setdefault(word, []).append(place)

    @cached_property
    def words(self) -> Words:
        return Words(self.places)

    def under(self, entry: Entry) -> Places:
        if entry.glob is None:
            return self.places.get(entry.text, ())
        fitting = self.words.fitting(entry.glob)
        return list(chain.from_iterable(map(self.places.__getitem__, fitting)))


class Labelled:
    """Places of tools by their labels. Many tools share one set of labels."""

    def __init__(self, labels_of: Iterable[frozenset[str]]) -> None:
        self.places: dict[frozenset[str], list[int]] = {}
        for place, labels in enumerate(labels_of):
            self.places.setdefault(labels, []).append(place)

    def under(self, label: str) -> Places:
        having = (places for labels, places in self.places.items() if label in labels)
        return list(chain.from_iterable(having))


class Census:
    """Tools by name, id and label; each answer gives places in `tools`."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools: Sequence[Traits] = list(map(traits, tools))

    @cached_property
    def unlisted(self) -> Places:
        """The stand-ins for tools that nobody knows the names of."""
        return [place for place, tool in enumerate(self.tools) if tool.tool.name == ANY_NAME]

    def matching(self, entries: Sequence[Entry], *, admits: bool) -> Places:
        """The places of the tools that one of the entries names; `admits` where they allow."""
        if len(entries) == 1 and not self.unlisted:
            return self._named(entries[0], admits=admits)
        named = [self._named(one, admits=admits) for one in entries]
        named += [self._perhaps_named(one, admits=admits) for one in entries if self.unlisted]
        return list(chain.from_iterable(named))

    def _perhaps_named(self, entry: Entry, *, admits: bool) -> Places:
        """The stand-ins whose tools, whatever they are called, an entry might name: all that a
        restriction cannot be shown to pass by, and those that an allowance names the source of.
        """
        return [place for place in self.unlisted if _perhaps(self.tools[place], entry, admits)]

    def _named(self, entry: Entry, *, admits: bool) -> Places:
        match entry.kind:
            case "everything":
                return range(len(self.tools))
            case "label":
                return (self.admitting if admits else self.restricting).under(entry.text)
            case "name":
                return self.names.under(entry)
            case "id":
                return self.ids.under(entry)

    @cached_property
    def names(self) -> Filed:
        return Filed(tool.names for tool in self.tools)

    @cached_property
    def ids(self) -> Filed:
        return Filed(tool.ids for tool in self.tools)

    @cached_property
    def restricting(self) -> Labelled:
        return Labelled(tool.labels.restricting for tool in self.tools)

    @cached_property
    def admitting(self) -> Labelled:
        return Labelled(tool.labels.admitting for tool in self.tools)


def _perhaps(tool: Traits, entry: Entry, admits: bool) -> bool:
    match entry.kind:
        case "id":
            return entry.may_be_of(tool.owner)
        case "name":
            return not admits
        case "label":
            return not admits and entry.text.startswith(("group:", "hint:"))
        case "everything":
            return False
