"""What there is for tests, and what each suite tries."""

from __future__ import annotations

import inspect
from typing import Any

from ._words import annotation, members, text_of

BASE = "Conformance"
CONSTANTS = {
    "HOSTILE_TEXTS": "Texts that an implementation is to survive: empty, with control and "
    "right-to-left characters, lone surrogates, very long, and written to break out.",
}


def suites() -> str:
    """Every conformance suite, with its cases as sentences."""
    from toolsearch import testing

    sections = []
    for name in _suites():
        value = getattr(testing, name)
        cases = [case for case in dir(value) if case.startswith("test_")]
        lines = "\n".join(f"- {case.removeprefix('test_').replace('_', ' ')}" for case in cases)
        given = _attributes(value)
        sections.append(
            f"### {name}\n\n{text_of(value)}\n\n{given}\n\n{len(cases)} cases:\n\n{lines}"
        )
    return "\n\n".join(sections)


def testing() -> str:
    """Every other name for tests, with what it takes and does."""
    from toolsearch import testing

    names = [name for name in testing.__all__ if name not in _suites()]
    parts = [_section(name, getattr(testing, name)) for name in sorted(names, key=str.lower)]
    return "\n\n".join(parts)


def _suites() -> list[str]:
    from toolsearch import testing

    return sorted(name for name in testing.__all__ if name.endswith("Conformance") and name != BASE)


def _section(name: str, value: Any) -> str:
    if not callable(value):
        return f"### {name}\n\n{CONSTANTS[name]}"
    return f"### {name}\n\n{members(name, value)}"


def _attributes(suite: Any) -> str:
    """What an author sets in a suite, with its default."""
    rows = ["| set | type | default |", "|---|---|---|"]
    for owner in reversed(suite.__mro__):
        for name, kind in inspect.get_annotations(owner).items():
            shown = annotation(kind).removeprefix("ClassVar[").removesuffix("]")
            rows.append(f"| `{name}` | `{shown}` | `{getattr(suite, name)!r}` |")
    return "\n".join(rows)
