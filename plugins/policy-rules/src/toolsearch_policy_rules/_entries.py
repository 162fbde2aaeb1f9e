"""Entries, parsed: what kind of thing each one names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import attrs

from toolsearch_hookspecs import ConfigError

from ._globs import Glob, IdGlob, is_glob
from ._names import folded

SOURCES = frozenset(("openclaw", "plugin", "mcp", "client"))
EVERYTHING = "*"

Groups = Mapping[str, Sequence[str]]
Kind = Literal["name", "id", "label", "everything"]


@attrs.frozen
class Entry:
    """A folded entry. Labels are what tools share: `group:fs`, `plugin:browser`, `mcp:github`."""

    kind: Kind
    text: str
    glob: Glob | IdGlob | None = None

    def may_be_of(self, owner: str) -> bool:
        """Whether an entry for ids may name a tool of an owner, given as `mcp:github`."""
        if isinstance(self.glob, IdGlob):
            return self.glob.fits_owner(owner)
        return self.text.startswith(f"{owner}:")


def entries(written: str, groups: Groups) -> tuple[Entry, ...]:
    """An entry as written, and for a group of the deployment the entries in it."""
    return tuple(map(parsed, dict.fromkeys(_expanded(folded(written), groups, ()))))


def parsed(text: str) -> Entry:
    match text.split(":", 2):
        case ["*"] | ["*", "*"] | ["*", "*", "*"]:
            return Entry("everything", text)
        case ["group" | "hint", _]:
            return Entry("label", text)
        case [source, owner] | [source, owner, "*"] if source in SOURCES and not is_glob(owner):
            return Entry("label", f"{source}:{owner}")
        case [source, _, *_] if source in SOURCES or is_glob(source):
            return Entry("id", text, IdGlob.of(text) if is_glob(text) else None)
        case _:
            return Entry("name", text, Glob.of(text) if is_glob(text) else None)


def check_groups(groups: Groups) -> None:
    """Raise `ConfigError` where a group holds itself."""
    for group in groups:
        entries(group, groups)


def _expanded(text: str, groups: Groups, within: tuple[str, ...]) -> Iterator[str]:
    if text in within:
        msg = f"tools.groups: {' holds '.join((*within, text))}; a group cannot hold itself"
        raise ConfigError(msg)
    yield text
    for inner in groups.get(text, ()):
        yield from _expanded(folded(inner), groups, (*within, text))
