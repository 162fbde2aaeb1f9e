"""Paths of keys as people write them: `tools.deny[0]`, `mcpServers["a.b"].env`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolsearch_hookspecs import ConfigError

if TYPE_CHECKING:
    from ._tree import Path

_STEP = re.compile(
    r"""\[(?P<index>[0-9]{1,9})\]|\[?(?P<quote>["'])(?P<quoted>(?:\\.|(?!(?P=quote)).)*)(?P=quote)\]?"""
    r"""|(?P<bare>[^.\[\]"']+)"""
)


def path_of(text: str) -> Path:
    """Read a path. Items count from 0, as `[0]` or `.0`; a key with a dot in it is quoted.

    Raises `ConfigError` for what is no path.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text) or not steps:
        dot = bool(steps) and text.startswith(".", at)
        match = _STEP.match(text, at + dot)
        if match is None or (steps and not dot and text[at] != "["):
            raise ConfigError(
                f'"{text}" is not a path of keys; write tools.toolSearch, tools.deny[0] or '
                'mcpServers["a.b"]'
            )
        if match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["quoted"] is not None:
            steps.append(re.sub(r"\\(.)", r"\1", match["quoted"]))
        else:
            steps.append(match["bare"])
        at = match.end()
    return tuple(steps)
