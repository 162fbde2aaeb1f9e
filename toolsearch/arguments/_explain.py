"""Violations told to a model so that its next call is right."""

from __future__ import annotations

from collections.abc import Sequence

from ..schemas import Violation


def explain_violations(tool_id: str, violations: Sequence[Violation], signature: str) -> str:
    """What is wrong with each field, the name that was probably meant, and what the tool takes."""
    lines = [f"- {_line(each)}" for each in violations]
    return "\n".join(
        [
            f"The arguments for {tool_id} do not fit its schema. Not executed.",
            *lines,
            f"It takes: {signature}",
        ]
    )


def _line(violation: Violation) -> str:
    said = f"`{violation.path or 'the arguments'}` {violation.message}"
    if violation.nearest is not None:
        said += f"; did you mean `{violation.nearest}`?"
    return said
