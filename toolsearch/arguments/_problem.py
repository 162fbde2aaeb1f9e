"""The error for arguments that cannot be read in exactly one way."""

from __future__ import annotations

from toolsearch_hookspecs import ToolsearchError


class ArgumentProblem(ToolsearchError):
    """Arguments that are malformed or could mean two things.

    The message is for the model and quotes no value: models imitate what they are shown.
    """
