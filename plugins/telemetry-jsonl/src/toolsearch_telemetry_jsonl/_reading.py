"""Reads a log back, whatever a killed process left in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs


@attrs.frozen
class Logged:
    """One event as it stands in the log."""

    type: str
    at: str
    seq: int
    run: str | None
    session: str | None
    agent: str | None
    data: Mapping[str, Any]
    whole: Mapping[str, Any]


@attrs.define
class Reading:
    """The events of some files, in the order of their time; `unreadable` counts the other lines."""

    events: list[Logged] = attrs.field(factory=list)
    unreadable: int = 0

    def wanted(
        self, run: str | None, session: str | None, type_: str | None = None
    ) -> list[Logged]:
        return [
            event
            for event in self.events
            if run in {None, event.run}
            and session in {None, event.session}
            and (type_ is None or event.type == type_ or event.type.startswith(f"{type_}."))
        ]


def reading(paths: Iterable[Path]) -> Reading:
    """Read files of the log. Raises OSError for one that cannot be opened."""
    read = Reading()
    for path in paths:
        with path.open("rb") as file:
            for raw in file:
                _take(read, raw)
    read.events.sort(key=lambda event: (event.at, event.run or "", event.seq))
    return read


def follow(path: Path, place: int) -> Iterator[tuple[bytes, int]]:
    """The whole lines of a file after a place in it, each with the place where it ends."""
    with path.open("rb") as file:
        file.seek(place)
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            place += len(raw)
            yield raw, place


def logged(raw: bytes) -> Logged | None:
    """The event on a line; None for a line that is torn or no event."""
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    match value:
        case {"type": str(type_), "at": str(at), "seq": int(seq), "data": dict(data)}:
            who = [value.get(key) for key in ("run", "session", "agent")]
            run, session, agent = (word if isinstance(word, str) else None for word in who)
            return Logged(type_, at, seq, run, session, agent, data, value)
        case _:
            return None


def _take(read: Reading, raw: bytes) -> None:
    if not raw.strip():
        return
    event = logged(raw)
    if event is None:
        read.unreadable += 1
    else:
        read.events.append(event)
