"""Whether the configuration has the agent or profile that a command line names.

In the library an agent needs no section: a program names its agents itself. A person who names
one on the command line, beside others that have rules, has misspelt it, and would be shown what
those rules keep from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from toolsearch_hookspecs import ConfigError

from ..config import ConfigDocument, nearest
from ..text import fold

SECTIONS = {"agent": "agents", "profile": "profiles"}
"""The options that are looked at, and where the configuration has what they name."""

UNNAMED = "default"
"""The agent of whoever names none."""


def check_who(document: ConfigDocument, who: Mapping[str, Any]) -> None:
    """Raise ConfigError for an agent or a profile that the configuration does not have, where it
    has some.
    """
    for option, section in SECTIONS.items():
        name = who.get(option)
        known = list(_names(document.effective, section))
        if not isinstance(name, str) or not known or name == UNNAMED:
            continue
        if any(fnmatchcase(fold(name), fold(one).replace("[", "[[]")) for one in known):
            continue
        close = nearest(name, known)
        meant = f"did you mean {close!r}?" if close else f"there is {', '.join(sorted(known))}."
        raise ConfigError(
            f"--{option} {name}: {document.name or 'the configuration'} has no {option} of that "
            f"name; {meant} One without rules of its own is written as "
            f"{section}: {{ {_key(name)}: {{}} }}"
        )


def _names(value: Mapping[str, Any], section: str) -> Iterator[str]:
    """The keys of a section; an agent may also stand among the sub-agents."""
    own = value.get(section)
    if not isinstance(own, Mapping) or not own:
        return
    yield from own
    below = value.get("subagents")
    if section == "agents" and isinstance(below, Mapping):
        inner = below.get("agents")
        yield from inner if isinstance(inner, Mapping) else ()


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'
