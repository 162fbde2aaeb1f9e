"""A model that says what a test wrote down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolsearch_hookspecs import ModelSurface, RunApi, ToolResult

Said = tuple[str, Any]
Step = Said | Callable[[Sequence[ToolResult]], Said | None]


class ScriptedModel:
    """Plays the part of a model: each step is a tool call, `(name, arguments)`.

    A step may be a function of the results so far, where the next call depends on them; it ends
    the play with None. `seen` has the surface that was shown before each step.
    """

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.seen: list[ModelSurface] = []

    async def play(self, run: RunApi) -> list[ToolResult]:
        """Make the calls, one after the other; gives their results."""
        results: list[ToolResult] = []
        for step in self.steps:
            said = step(tuple(results)) if callable(step) else step
            if said is None:
                break
            self.seen.append(run.surface)
            name, arguments = said
            results.append(await run.handle(name, arguments))
        return results
