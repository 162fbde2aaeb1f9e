"""The directory: names and one-line descriptions in a bounded space, the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter

from toolsearch_hookspecs import Tool
from toolsearch_hookspecs.text import one_line

MAX_CHARS = 18_000
DESCRIPTION_STEPS = (180, 64, 0)
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
HEAD = "Tools behind tool_search, by owner. Call one with tool_call and its name or id.\n"

Group = tuple[str, list[Tool]]


def directory(tools: Sequence[Tool], context_chars: int | None = None) -> str:
    """The directory of some tools (S4.4).

    At most 18,000 characters, and at most a tenth of `context_chars` where given. Tools that are
    not trusted are listed by a plain name alone, under the alias that the deployment gave.
    """
    space = MAX_CHARS if context_chars is None else min(MAX_CHARS, context_chars // 10)
    listed = [tool for tool in tools if tool.trusted or PLAIN_NAME.match(tool.name)]
    unlisted = len(tools) - len(listed)
    groups = _groups(listed)
    steps = () if _names_exceed(listed, space) else DESCRIPTION_STEPS
    for chars in steps:
        text = HEAD + _lines(groups, chars) + _footer(unlisted)
        if len(text) <= space:
            return text
    return _names_that_fit(groups, unlisted, space)


def _names_exceed(tools: Sequence[Tool], space: int) -> bool:
    """Whether not even the names fit, of which the shortest takes four characters."""
    return 4 * len(tools) > space or sum(len(tool.name) + 3 for tool in tools) > space


def _groups(tools: Sequence[Tool]) -> list[Group]:
    """By owner; the tools of each by name."""
    members: dict[tuple[str, str], list[Tool]] = {}
    for tool in tools:
        members.setdefault((tool.owner, tool.source), []).append(tool)
    return [
        (f"{name} ({source})", sorted(members[name, source], key=attrgetter("name")))
        for name, source in sorted(members)
    ]


def _lines(groups: Sequence[Group], chars: int) -> str:
    parts = []
    for heading, members in groups:
        parts.append(f"{heading}\n")
        parts += [_line(tool, chars) for tool in members]
    return "".join(parts)


def _line(tool: Tool, chars: int) -> str:
    name = one_line(tool.name, 128)
    said = one_line(tool.description, chars) if tool.trusted and chars else ""
    return f"- {name}: {said}\n" if said else f"- {name}\n"


def _names_that_fit(groups: Sequence[Group], unlisted: int, space: int) -> str:
    """Names only, the same number at most for each owner; the largest number that fits."""
    count = sum(len(members) for _, members in groups)
    size = len(HEAD) + sum(len(heading) + 1 for heading, _ in groups)
    most, fits = 0, size + len(_footer(unlisted + count)) <= space
    listed = 0
    for row in range(max((len(members) for _, members in groups), default=0)):
        lines = [_line(members[row], 0) for _, members in groups if row < len(members)]
        size += sum(map(len, lines))
        if size > space:
            break
        listed += len(lines)
        if size + len(_footer(unlisted + count - listed)) <= space:
            most, fits = row + 1, True
    if fits:
        return _shortened(groups, most, unlisted)
    text = HEAD + _footer(unlisted + count)
    return text if len(text) <= space else ""


def _shortened(groups: Sequence[Group], most: int, unlisted: int) -> str:
    kept = [(heading, members[:most]) for heading, members in groups]
    left_out = sum(max(len(members) - most, 0) for _, members in groups)
    return HEAD + _lines(kept, 0) + _footer(unlisted + left_out)


def _footer(left_out: int) -> str:
    if not left_out:
        return ""
    noun = "tool is" if left_out == 1 else "tools are"
    return f"{left_out} more {noun} not listed here; tool_search finds them.\n"
