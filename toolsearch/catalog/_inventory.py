"""The sources of a host: asked side by side, each with a deadline, none harming the others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Protocol, runtime_checkable

import attrs

from toolsearch_hookspecs import (
    Diagnostic,
    RunContext,
    SourceKind,
    SourceListing,
    SourceUnavailable,
    ToolSource,
)

from ..isolation import Outcome, contained, contained_now, side_by_side, text_of, within
from ..text import one_line
from ..tracebacks import note
from ._intake import OWNER, Provenance, SourcePart, source_part_in_turns

log = logging.getLogger(__name__)

RETRY_AFTER_S = 2.0
LISTINGS_KEPT = 8
REASON_CHARS = 300
DETAIL_CHARS = 800


@runtime_checkable
class Unhurried(Protocol):
    """A source whose own settings say how long its list may take, in place of
    `tools.limits.sourceTimeoutMs`; None where they do not.
    """

    list_timeout_ms: int | None


@attrs.frozen
class SourceDown:
    """A source that could not be asked, with a reason fit for the model and one for the log.

    The notes (`add_note`) of what the source raised are in the one for the log alone.
    """

    provenance: Provenance
    reason: str
    detail: str = ""

    @property
    def title(self) -> str:
        return f"{noun(self.provenance.kind)} {self.provenance.owner}"


def noun(kind: SourceKind) -> str:
    """What a source of this kind is called in a message."""
    return "server" if kind == "mcp" else "source"


@attrs.frozen
class Kept:
    """A listing and what became of it.

    A generation alone is not enough to know a listing by: a source may list other tools to other
    askers and call both the same. Tools that are the same objects are found so at once.
    """

    listing: SourceListing
    part: SourcePart

    def is_of(self, listing: SourceListing) -> bool:
        mine = self.listing
        return (
            mine.generation == listing.generation
            and mine.description == listing.description
            and list(mine.quarantined) == list(listing.quarantined)
            and list(mine.tools) == list(listing.tools)
        )


@attrs.define(eq=False)
class SourceEntry:
    """One source of the host, with what it last listed."""

    source: ToolSource
    provenance: Provenance
    kept: list[Kept] = attrs.Factory(list)
    latest: SourcePart | None = None
    down: SourceDown | None = None
    asked_at: float = 0.0
    revision: int = 0
    reading: asyncio.Lock = attrs.Factory(asyncio.Lock)

    async def part_of(self, listing: SourceListing) -> SourcePart:
        """The part of a listing, reused where the same was listed before, or is being read."""
        async with self.reading:
            kept = next((kept for kept in self.kept if kept.is_of(listing)), None)
            if kept is None:
                before = self.kept[-1].part if self.kept else None
                part = await source_part_in_turns(self.provenance, listing, before)
                kept = Kept(listing, part)
            else:
                self.kept.remove(kept)
            self.kept = [*self.kept, kept][-LISTINGS_KEPT:]
            self.latest, self.down = kept.part, None
            return kept.part


@attrs.frozen
class Snapshot:
    """What the sources gave for one run, and at which revision of each source."""

    answers: Mapping[SourceEntry, SourcePart | SourceDown]
    revisions: Mapping[SourceEntry, int]

    @property
    def parts(self) -> tuple[SourcePart, ...]:
        return tuple(part for part in self.answers.values() if isinstance(part, SourcePart))

    @property
    def down(self) -> tuple[SourceDown, ...]:
        return tuple(part for part in self.answers.values() if isinstance(part, SourceDown))

    def changed(self) -> list[SourceEntry]:
        """The sources that said they changed since they were asked."""
        return [entry for entry, seen in self.revisions.items() if entry.revision != seen]

    def due(self) -> list[SourceEntry]:
        """The sources that were down and may be asked again."""
        now = monotonic()
        return [
            entry
            for entry, answer in self.answers.items()
            if isinstance(answer, SourceDown) and now - entry.asked_at >= RETRY_AFTER_S
        ]

    def renewed(self, later: Snapshot, entries: Sequence[SourceEntry]) -> Snapshot:
        """This one with what some sources answered later."""
        return Snapshot(
            {**self.answers, **{entry: later.answers[entry] for entry in entries}},
            {**self.revisions, **{entry: later.revisions[entry] for entry in entries}},
        )


def provenance_of(source: ToolSource, plugin: str, *, kind: SourceKind | None = None) -> Provenance:
    """Where a source's tools come from. Raises ValueError for a name that can make no id."""
    if not OWNER.match(source.name):
        message = f"source name {source.name!r} is not made of [a-z0-9_.-]"
        raise ValueError(message)
    return Provenance(kind or source.kind, source.name, plugin, source.origin, source.trusted)


class Inventory:
    """All sources of one host, in the order of kind and owner."""

    def __init__(self, entries: Sequence[SourceEntry], timeout_s: float) -> None:
        self._entries = sorted(
            entries, key=lambda entry: (entry.provenance.kind, entry.provenance.owner)
        )
        self._timeout_s = timeout_s
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def entries(self) -> Sequence[SourceEntry]:
        return self._entries

    def of(self, kind: str, owner: str) -> SourceEntry | None:
        for entry in self._entries:
            if (entry.provenance.kind, entry.provenance.owner) == (kind, owner):
                return entry
        return None

    async def start(self) -> list[Diagnostic]:
        """Start every source side by side; what one raises is said, and harms no other.

        One whose `start` fails is asked for its tools all the same: it may have them by then.
        """
        self._loop = asyncio.get_running_loop()
        outcomes = await self._side_by_side(
            self._entries, lambda entry: partial(entry.source.start, self._changed(entry))
        )
        failed = {entry: each.failure for entry, each in outcomes.items() if each.failure}
        return [
            said
            for entry, failure in failed.items()
            if (said := self._unstarted(entry, failure)) is not None
        ]

    def _unstarted(self, entry: SourceEntry, failure: BaseException) -> Diagnostic | None:
        """What is said of a source that did not start; of one that cannot be had now nothing,
        since asking it for its tools says that.
        """
        down = self._down(entry, failure, "start")
        log.warning("%s did not start: %s", down.title, down.detail)
        if isinstance(failure, SourceUnavailable):
            return None
        return Diagnostic(
            level="error",
            code="source_unstarted",
            message=f"{down.title} did not start: {down.detail}; it is asked for its tools "
            "all the same",
            subject=entry.provenance.owner,
            cure=f"mend `start` of the source (plugin {entry.provenance.plugin}), or let it raise "
            "SourceUnavailable where its tools cannot be had now",
        )

    async def snapshot(self, run: RunContext) -> Snapshot:
        """Ask every source for the tools of this run."""
        return await self._asked(self._entries, run, {})

    async def again(
        self, snapshot: Snapshot, entries: Sequence[SourceEntry], run: RunContext
    ) -> Snapshot:
        """Ask some sources again; the answers of the others stay as they were for this run."""
        return await self._asked(entries, run, snapshot.answers, snapshot.revisions)

    async def _asked(
        self,
        entries: Sequence[SourceEntry],
        run: RunContext,
        answers: Mapping[SourceEntry, SourcePart | SourceDown],
        revisions: Mapping[SourceEntry, int] | None = None,
    ) -> Snapshot:
        seen = dict(revisions or {}) | {entry: entry.revision for entry in entries}
        outcomes = await self._listed(entries, run)
        fresh = {entry: await self._answer(entry, outcome) for entry, outcome in outcomes.items()}
        merged = dict(answers) | fresh
        return Snapshot({entry: merged[entry] for entry in self._entries}, seen)

    async def aclose(self) -> None:
        """Close every source; each one's failure is logged and the others still close."""
        outcomes = await self._side_by_side(self._entries, lambda entry: entry.source.aclose)
        for entry, outcome in outcomes.items():
            if outcome.failure is not None:
                down = self._down(entry, outcome.failure, "aclose")
                log.warning("%s did not close: %s", down.title, down.detail)

    def _changed(self, entry: SourceEntry) -> Callable[[], None]:
        def note() -> None:
            entry.revision += 1

        def changed() -> None:
            loop = self._loop
            if loop is None or loop.is_closed():
                return
            if _running_loop() is loop:
                note()
            else:
                loop.call_soon_threadsafe(note)

        return changed

    async def _answer(self, entry: SourceEntry, outcome: Outcome) -> SourcePart | SourceDown:
        if outcome.failure is not None:
            return self._is_down(entry, self._down(entry, outcome.failure, "list_tools"))
        listing = outcome.value
        if not isinstance(listing, SourceListing):
            answered = f"its list_tools answered {type(listing).__name__}, not a SourceListing"
            return self._is_down(
                entry, SourceDown(entry.provenance, "it gave no list of tools", answered)
            )
        taken = await contained(partial(entry.part_of, listing))
        if isinstance(taken.value, SourcePart):
            return taken.value
        failure = taken.failure or TypeError("no list of tools")
        return self._is_down(entry, self._down(entry, failure, "list_tools"))

    def _is_down(self, entry: SourceEntry, down: SourceDown) -> SourceDown:
        if entry.down is None or entry.down.detail != down.detail:
            log.warning("%s is unavailable: %s", down.title, down.detail)
        entry.down = down
        return down

    def _down(self, entry: SourceEntry, failure: BaseException, step: str) -> SourceDown:
        match failure:
            case SourceUnavailable():
                reason = one_line(text_of(failure), REASON_CHARS)
                detail = one_line("; ".join((reason, *_notes(failure))), DETAIL_CHARS)
            case TimeoutError() if failure.__traceback__ is None:
                seconds = self._list_seconds(entry) if step == "list_tools" else self._timeout_s
                reason = f"it did not answer within {seconds:g} s"
                detail = (
                    f"its {step} did not return within {seconds:g} s; for what takes longer there "
                    "is tools.limits.sourceTimeoutMs"
                )
            case _:
                said = one_line(f"{type(failure).__name__}: {text_of(failure)}", REASON_CHARS)
                reason, detail = "it failed", f"its {step} raised {said}"
                note(f"{step} of the source {entry.provenance.owner} failed", failure)
        return SourceDown(entry.provenance, reason, detail)

    async def _side_by_side(
        self,
        entries: Sequence[SourceEntry],
        ask: Callable[[SourceEntry], Callable[[], Awaitable[object]]],
    ) -> Mapping[SourceEntry, Outcome]:
        outcomes = await side_by_side(self._timeout_s, map(ask, entries))
        return dict(zip(entries, outcomes, strict=True))

    async def _listed(
        self, entries: Sequence[SourceEntry], run: RunContext
    ) -> Mapping[SourceEntry, Outcome]:
        """What each source lists, within its own deadline."""

        async def listed(entry: SourceEntry) -> Outcome:
            seconds = self._list_seconds(entry)
            return await within(seconds, partial(entry.source.list_tools, run))

        outcomes = await asyncio.gather(*map(listed, entries))
        now = monotonic()
        for entry in entries:
            entry.asked_at = now
        return dict(zip(entries, outcomes, strict=True))

    def _list_seconds(self, entry: SourceEntry) -> float:
        source = entry.source
        own = contained_now(lambda: isinstance(source, Unhurried) and source.list_timeout_ms).value
        timely = isinstance(own, int) and own > 0
        return own / 1_000 if timely else self._timeout_s


def _notes(failure: BaseException) -> Sequence[str]:
    """What was added to an exception for the person who reads it."""
    notes = getattr(failure, "__notes__", ())
    return [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
