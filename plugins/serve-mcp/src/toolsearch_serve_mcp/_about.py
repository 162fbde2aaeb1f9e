"""What a client's model is told once: how to use the tools that it is shown, and no others."""

from __future__ import annotations

from collections.abc import Iterable

from toolsearch_hookspecs import Diagnostic, ModelSurface

from ._tools import CALL, CODE, DESCRIBE, SEARCH, SPLIT

UNDER_WAY = (
    "What is behind this server is still starting. Its tools are there as they come: what is not "
    "found yet may be found in a moment."
)
UNTRUSTED = "untrusted-config"


def about(surface: ModelSurface, *, split: bool) -> str | None:
    """The prompt addition of the mode, or what its control tools are for; None without any."""
    names = {tool.name for tool in surface.tools}
    if surface.prompt is not None:
        return surface.prompt
    if {SEARCH, DESCRIBE, CALL} <= names:
        calls = f"that of {', '.join(SPLIT)} which is for it" if split else CALL
        return (
            f"Many tools behind a few: find one with {SEARCH}, read its parameters with "
            f"{DESCRIBE}, run it with {calls}."
        )
    if CODE in names:
        return (
            f"Many tools behind one: {CODE} runs a JavaScript body that finds, reads and calls "
            "them, as its description says."
        )
    return None


def why_little(diagnostics: Iterable[Diagnostic], *, empty: bool) -> str | None:
    """Why there is nothing here, or less than was meant: a client shows that, and hides the error
    stream.
    """
    if any(each.code == UNTRUSTED for each in diagnostics):
        return (
            "This server's configuration file was found, not named, and is not trusted as it is "
            "now, so that its own servers are not started. The person who runs it is to read the "
            "file and run `toolsearch config trust`, or to name it with --config."
        )
    if empty:
        return (
            "There are no tools behind this server now. The person who runs it is told why by "
            "`toolsearch doctor`."
        )
    return None
