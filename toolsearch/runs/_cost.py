"""What each way of showing tools would cost a run, and which is the cheapest (S4.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import attrs

from toolsearch_hookspecs import (
    AutoExposure,
    ModeRenderer,
    RunContext,
    Tool,
    ToolSearchSettings,
)

from ..catalog import Catalog
from ..surfaces import Surfaces
from ._descriptors import compact
from ._drawing import drawn
from ._search import serialized_bytes
from ._surface import DIRECT, definition, definition_json

BYTES_A_TOKEN = 4  # of JSON in English; an estimate
CACHED_SHARE = 0.1  # the price of a token from a provider's prompt cache; an estimate
REQUESTS = 6  # of a task with all tools shown
FINDS = 2  # tools that a task has to find first, one more request each
SAMPLE = 64  # tools that are looked at for the size of an answer
KEPT = 64
ORDER = (DIRECT, "code", "tools", "directory")


@attrs.frozen
class Exposure:
    """One way of showing tools: what each request carries, and what finding a tool adds.

    `found_bytes` is the size of a typical answer that a tool is found by: a page of hits, or one
    description where the names are in the prompt. `unavailable` says why it cannot be had.
    """

    mode: str
    tools: int
    tool_bytes: int
    prompt_bytes: int
    found_bytes: int = 0
    unavailable: str | None = None

    @property
    def bytes(self) -> int:
        return self.tool_bytes + self.prompt_bytes

    @property
    def first_tokens(self) -> int:
        """Estimated tokens of a first turn."""
        return tokens(self.bytes)

    @property
    def cached_tokens(self) -> int:
        """The same in a turn whose prompt cache holds, in tokens of the full price."""
        return ceil(self.first_tokens * CACHED_SHARE)

    @property
    def task_tokens(self) -> int:
        """A task of six requests that uses two tools, at the full price's worth of tokens."""
        finds = FINDS if self.found_bytes else 0
        later = (REQUESTS - 1 + finds) * self.cached_tokens
        return self.first_tokens + later + finds * tokens(self.found_bytes)


@attrs.frozen
class Cost:
    """What the ways of showing tools cost, which of them is picked, and why."""

    exposures: tuple[Exposure, ...]
    pick: str
    why: str

    def of(self, mode: str) -> Exposure:
        """Raises LookupError for a mode that nothing renders."""
        for exposure in self.exposures:
            if exposure.mode == mode:
                return exposure
        message = f"no loaded plugin renders mode {mode!r}"
        raise LookupError(message)


def tokens(size: int) -> int:
    """The estimated number of tokens of so many bytes."""
    return ceil(size / BYTES_A_TOKEN)


@attrs.frozen
class Costs:
    """Computes costs from a run's own catalog, and keeps the last 64."""

    renderers: Mapping[str, ModeRenderer]
    surfaces: Surfaces
    _known: dict[tuple[object, ...], Cost] = attrs.field(factory=dict)

    def of(
        self,
        catalog: Catalog,
        context: RunContext,
        settings: ToolSearchSettings,
        *,
        direct_bytes: int,
        directory: ModeRenderer | None,
        context_chars: int | None,
        no_runner: str | None,
    ) -> Cost:
        """`no_runner` says why no code can be run here, where none can."""
        provider = context.provider
        key = (catalog.fingerprint, settings, provider, context_chars, no_runner)
        cost = self._known.get(key)
        if cost is None:
            while len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            exposures = (
                self._direct(catalog, direct_bytes, self.surfaces.most_tools(provider)),
                *(
                    self._of_mode(
                        mode, catalog, context, settings, directory, context_chars, no_runner
                    )
                    for mode in sorted(self.renderers, key=_place)
                ),
            )
            cost = self._known[key] = _picked(exposures, settings)
        return cost

    @staticmethod
    def _direct(catalog: Catalog, size: int, most: int | None) -> Exposure:
        count = len(catalog.tools)
        beyond = most is not None and count > most
        return Exposure(
            mode=DIRECT,
            tools=count,
            tool_bytes=size + 1,
            prompt_bytes=0,
            unavailable=f"the provider takes at most {most} tools" if beyond else None,
        )

    def _of_mode(
        self,
        mode: str,
        catalog: Catalog,
        context: RunContext,
        settings: ToolSearchSettings,
        directory: ModeRenderer | None,
        context_chars: int | None,
        no_runner: str | None,
    ) -> Exposure:
        renderer = self.renderers[mode]
        surface = drawn(
            catalog,
            renderer,
            context,
            settings,
            direct_bytes=0,
            directory=directory,
            context_chars=context_chars,
        )
        shows_schemas = getattr(renderer, "shows_schemas", False)
        sample = _sample(catalog.searchable)
        schema = _mean([serialized_bytes(definition_json(definition(t, t.name))) for t in sample])
        hit = _mean([serialized_bytes(compact(tool)) for tool in sample])
        likely = settings.likely_schemas.count if shows_schemas else 0
        hits = min(settings.default_limit, len(catalog.searchable))
        return Exposure(
            mode=mode,
            tools=len(surface.model.tools) + likely,
            tool_bytes=surface.tool_bytes + likely * schema,
            prompt_bytes=surface.prompt_bytes,
            found_bytes=hit + schema if surface.model.prompt else hits * hit,
            unavailable=no_runner if renderer.needs_runner else None,
        )


def _picked(exposures: Sequence[Exposure], settings: ToolSearchSettings) -> Cost:
    """Direct where the catalog is small, else what costs a task least.

    A mode that the deployment wrote down is compared with direct exposure only.
    """
    auto = settings.auto or AutoExposure()
    direct = exposures[0]
    size = f"{direct.tools} tools in {direct.bytes:,} bytes"
    small = direct.tools < auto.min_tools and direct.bytes < auto.min_schema_bytes
    if small and direct.unavailable is None:
        why = f"{size} are fewer than {auto.min_tools} tools and {auto.min_schema_bytes:,} bytes"
        return Cost(tuple(exposures), DIRECT, why)
    allowed = [exposure for exposure in exposures if exposure.unavailable is None]
    if "mode" in settings.model_fields_set:
        written = {DIRECT, settings.mode}
        allowed = [exposure for exposure in allowed if exposure.mode in written]
    if not allowed:
        return Cost(tuple(exposures), settings.mode, f"{size}: {direct.unavailable}")
    best = min(allowed, key=lambda exposure: exposure.task_tokens)
    costs = f"a task costs about {best.task_tokens:,} tokens"
    if best is direct:
        others = [each.task_tokens for each in allowed if each is not direct]
        than = f", with tools to be found {min(others):,}" if others else ""
        return Cost(tuple(exposures), DIRECT, f"{size}: {costs}{than}")
    instead = direct.unavailable or f"{direct.task_tokens:,} with all of them shown"
    return Cost(tuple(exposures), best.mode, f"{size}: {costs}; {instead}")


def _place(mode: str) -> tuple[int, str]:
    return (ORDER.index(mode) if mode in ORDER else len(ORDER), mode)


def _sample(tools: Sequence[Tool]) -> Sequence[Tool]:
    step = max(len(tools) // SAMPLE, 1)
    return tools[::step]


def _mean(sizes: Sequence[int]) -> int:
    return ceil(sum(sizes) / len(sizes)) if sizes else 0
