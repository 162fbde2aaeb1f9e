"""Which script is played on a catalog: the demo's own servers, or somebody's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolsearch_hookspecs import Tool

from ..text import words
from ._scripts import (
    BRANCH,
    CLOCK,
    ESCAPE,
    MACHINE,
    MEDIAN,
    RESET,
    Lookup,
    Script,
    code_over_history,
    code_over_numbers,
)

CAREFUL = "careful"
"""The agent that may use nothing that might destroy."""


def script_for(tools: Sequence[Tool], repository: Path | None) -> Script:
    """The script for what is there. No call in it changes anything."""
    ids = {tool.id for tool in tools}
    if repository is not None and {RESET.tool, BRANCH.tool, CLOCK.tool} <= ids:
        return _with_repository(repository)
    served = [tool for tool in tools if tool.source == "mcp"]
    looked = CLOCK if CLOCK.tool in ids else _looked(served)
    asked = (MEDIAN, looked) if looked is not None else (MEDIAN, ESCAPE)
    called = looked if looked is not None and looked.arguments is not None else ESCAPE
    risky = next((tool for tool in served if _may_destroy(tool)), None)
    return Script(
        asked="What is the typical response time, and what else can you do here?",
        lookups=asked,
        asked_code="How are the response times spread? Look something else up meanwhile.",
        code=code_over_numbers(called),
        denied=MACHINE if risky is None else Lookup(_query(risky), risky.id, {}),
        agent="default" if risky is None else CAREFUL,
        blocked=Lookup("name of the operating system", "plugin:platform:system", {}),
    )


def denials(*, own: bool) -> list[str]:
    """What the demo denies to every agent; of somebody's own servers nothing."""
    return [MACHINE.tool] if own else [MACHINE.tool, "git_reset"]


def _with_repository(repository: Path) -> Script:
    path = str(repository)
    branch = {"repo_path": path, **(BRANCH.arguments or {})}
    return Script(
        asked="It is half past two in Berlin. What time is it in Tokyo, and what is the typical "
        "response time of 120, 95, 430, 88, 101 and 97 ms?",
        lookups=(CLOCK, MEDIAN),
        asked_code="How long are the commit messages of this repository, and when is 14:30 in "
        "Berlin for the colleague in Tokyo?",
        code=code_over_history(path),
        denied=Lookup(RESET.query, RESET.tool, {"repo_path": path}),
        agent="default",
        blocked=Lookup(BRANCH.query, BRANCH.tool, branch),
    )


def _looked(served: Sequence[Tool]) -> Lookup | None:
    """A tool of somebody's server that says it only reads, called where it asks for nothing;
    another one is only looked at.
    """
    readers = [tool for tool in served if tool.annotations.read_only]
    for tool in readers:
        if not tool.input_schema.get("required"):
            return Lookup(_query(tool), tool.id, {})
    chosen = next(iter(readers or served), None)
    return None if chosen is None else Lookup(_query(chosen), chosen.id)


def _may_destroy(tool: Tool) -> bool:
    hints = tool.annotations
    return hints.destructive is not False and not hints.read_only


def _query(tool: Tool) -> str:
    return " ".join(words(tool.name)) or tool.name
