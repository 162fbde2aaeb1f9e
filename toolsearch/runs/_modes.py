"""Which mode a run gets: what was asked for, or less, and said so (S4.1, S4.8, S4.9)."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping

import attrs

from toolsearch_hookspecs import (
    Attestation,
    CodeRunner,
    ConfigError,
    Diagnostic,
    ModeRenderer,
    RunContext,
    ToolSearchSettings,
)

from ..isolation import contained
from ..tracebacks import note
from ._cost import Cost
from ._surface import DIRECT

# Harnesses, and providers' own, with a stable tool search that a run leaves searching to.
NATIVE_SEARCH = frozenset({"codex", "openai-tool-search", "anthropic-tool-search"})


@attrs.frozen
class ChosenMode:
    """The mode of a run, its renderer (none for direct exposure), and why it is not another."""

    name: str
    renderer: ModeRenderer | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    searched_by_provider: bool = False


@attrs.frozen
class Modes:
    """The renderers and the runner of one host."""

    renderers: Mapping[str, ModeRenderer]
    runner: CodeRunner | None
    runner_missing: str = ""

    async def chosen(
        self,
        settings: ToolSearchSettings,
        context: RunContext,
        cost: Callable[[], Awaitable[Cost]],
    ) -> ChosenMode:
        """Choose before anything is compacted; `cost` is asked where `auto` picks.

        Raises ConfigError for an unknown mode, and in `strict` where the mode cannot be had.
        """
        if not settings.enabled:
            return ChosenMode(DIRECT)
        if context.harness in NATIVE_SEARCH or context.provider in NATIVE_SEARCH:
            return ChosenMode(DIRECT, diagnostics=(_native(context),), searched_by_provider=True)
        self._renderer(settings.mode)
        mode = settings.mode
        picked: tuple[Diagnostic, ...] = ()
        if settings.auto is not None:
            costs = await cost()
            mode, picked = costs.pick, (_picked(costs),)
        if mode == DIRECT:
            return ChosenMode(DIRECT, diagnostics=picked)
        renderer = self._renderer(mode)
        if not renderer.needs_runner:
            return ChosenMode(mode, renderer, picked)
        lacking = await self.lacking()
        if lacking is None:
            return ChosenMode(mode, renderer, picked)
        if settings.strict:
            message = f"mode {mode!r} is strict and cannot be had: {lacking.message}"
            raise ConfigError(message)
        return ChosenMode("tools", self._renderer("tools"), (lacking, *picked))

    async def attestation(self) -> Attestation | None:
        """What the runner found of its isolation; None without a runner."""
        runner = self.runner
        if runner is None:
            return None
        outcome = await contained(runner.probe)
        if isinstance(outcome.value, Attestation):
            return outcome.value
        note(f"the probe of the runner {runner.name} failed", outcome.failure)
        return Attestation(
            available=False,
            isolated=False,
            runtime=runner.name,
            missing=(f"its probe failed: {type(outcome.failure).__name__}",),
        )

    async def lacking(self) -> Diagnostic | None:
        """Why no code runs on this host; None where it may."""
        found = await self.attestation()
        if found is None:
            return _fallback(self.runner_missing or "no code runner is chosen", None)
        if found.available:
            return None
        return _fallback(f"{found.runtime}, missing: {'; '.join(found.missing)}", found.cure)

    def directory(self, settings: ToolSearchSettings) -> ModeRenderer | None:
        """What draws the directory that other modes carry, where they do. Raises ConfigError
        where nothing draws it.
        """
        return self._renderer("directory") if settings.directory else None

    def _renderer(self, mode: str) -> ModeRenderer:
        renderer = self.renderers.get(mode)
        if renderer is None:
            near = difflib.get_close_matches(mode, [*self.renderers, DIRECT], 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(sorted({*self.renderers, DIRECT}))
            message = f"no loaded plugin renders mode {mode!r}{meant} (there are: {listed})"
            raise ConfigError(message)
        return renderer


def _fallback(message: str, cure: str | None) -> Diagnostic:
    return Diagnostic(
        level="warning",
        code="code_unavailable",
        message=f"code mode is unavailable, so the run has mode tools ({message})",
        cure=cure,
    )


def _native(context: RunContext) -> Diagnostic:
    return Diagnostic(
        level="info",
        code="native_search",
        message=f"{context.harness or context.provider} searches tools itself: direct exposure",
    )


def _picked(cost: Cost) -> Diagnostic:
    return Diagnostic(
        level="info",
        code="exposure_picked",
        message=f"{cost.pick} is picked: {cost.why}",
        subject=cost.pick,
    )
