"""Environment variables that look like ours and are not: a misspelt one would be dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

OURS = (
    "TOOLSEARCH_CONFIG",
    "TOOLSEARCH_CONFIG_DIR",
    "TOOLSEARCH_STATE_DIR",
    "TOOLSEARCH_PLUGINS_ENABLED",
    "TOOLSEARCH_PLUGINS_DISABLED",
    "TOOLSEARCH_PLUGINS_ORDER",
)
NEAR = 0.85


def misspelt_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each variable that nobody reads and that is nearly one of ours."""
    for name in environ:
        if not name.upper().startswith("TOOL") or name in OURS:
            continue
        for meant in get_close_matches(name.upper(), OURS, 1, NEAR):
            yield f"the environment variable {name} is read by nobody; did you mean {meant}?"
