"""The commands `log show`, `log stats`, `log tail` and `log export`."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import Command, CommandContext, ConfigError, Parameter, PluginContext

from ._place import Place
from ._reading import Logged, Reading, follow, logged, reading

POLL_S = 0.3

FILE = Parameter(
    name="file", type="path", multiple=True, help="Read this file instead of the log; repeatable."
)
RUN = Parameter(name="run", help="Only the events of one run.")
SESSION = Parameter(name="session", help="Only the events of one session.")
KIND = Parameter(name="type", help="Only one type, such as `call.ended`, or a family: `call`.")
ALL = Parameter(
    name="all",
    kind="flag",
    help="Also runs that searched and called nothing, such as the doctor's; --json has them always.",
)
LAST = Parameter(name="last", type="int", default=50, help="At most so many events, the latest.")


def commands(plugin: PluginContext) -> Iterable[Command]:
    log = LogCommands(Place.of(plugin))
    return (
        Command(
            name="log show",
            help="Show events of the session log.",
            run=log.show,
            parameters=(FILE, RUN, SESSION, KIND, LAST, ALL),
        ),
        Command(
            name="log stats",
            help="Say of each run what the model saw up front, what it did and what it called.",
            run=log.stats,
            parameters=(FILE, RUN, SESSION, ALL),
        ),
        Command(
            name="log tail",
            help="Show the latest events, and with --follow those that come.",
            run=log.tail,
            parameters=(
                Parameter(name="last", type="int", default=10, help="So many events first."),
                Parameter(name="follow", kind="flag", help="Go on until interrupted."),
                RUN,
                SESSION,
                KIND,
            ),
        ),
        Command(
            name="log export",
            help="Write the events (jsonl), or a line a run (csv).",
            run=log.export,
            parameters=(
                Parameter(name="format", default="jsonl", help="`jsonl` or `csv`."),
                Parameter(name="output", type="path", help="The file to write; else it is shown."),
                FILE,
                RUN,
                SESSION,
            ),
        ),
    )


@attrs.frozen
class LogCommands:
    """What the commands do, on the log of one deployment."""

    place: Place

    async def show(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        from ._showing import event_line

        read = self._read(given)
        wanted = _wanted(read, given)
        busy = _busy(wanted, read, given)
        lines = [event_line(event) for event in busy[-_last(given) :]]
        lines += [] if wanted else [self._nothing(read, given)]
        text = "\n".join((*lines, *_left_out(len(wanted) - len(busy), "event"), *_torn(read)))
        context.show([event.whole for event in wanted[-_last(given) :]], text=text)
        return 0

    async def stats(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        from ._showing import runs_text, totals_chart
        from ._summary import summaries, totals

        read = self._read(given)
        events = _wanted(read, given)
        runs = summaries(events)
        sums = totals(runs, events)
        data = {
            "runs": [attrs.asdict(run) for run in runs],
            "totals": attrs.asdict(sums),
            "unreadable": read.unreadable,
        }
        busy = _busy(events, read, given)
        shown = summaries(busy)
        parts = [runs_text(shown), totals_chart(totals(shown, busy))] if shown else []
        parts += [*_left_out(len(runs) - len(shown), "run"), *_torn(read)]
        context.show(data, text="\n\n".join(parts) if runs else self._nothing(read, given))
        return 0

    async def tail(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        places = {path: path.stat().st_size for path in self.place.files()}
        await self.show(context, {**given, "all": True})
        while given.get("follow"):
            for path in self.place.files():
                for raw, end in follow(path, places.get(path, 0)):
                    places[path] = end
                    self._tell(context, given, raw)
            await asyncio.sleep(POLL_S)
        return 0

    async def export(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        from ._summary import summaries

        events = _wanted(self._read(given), given)
        match given.get("format") or "jsonl":
            case "jsonl":
                data: list[Any] = [event.whole for event in events]
                text = "".join(json.dumps(one) + "\n" for one in data)
            case "csv":
                data = [attrs.asdict(run) for run in summaries(events)]
                text = _csv(data)
            case other:
                raise ConfigError(f"--format {other!r} is not known; it is 'jsonl' or 'csv'")
        output = given.get("output")
        if output is None:
            context.show(data, text=text.rstrip("\n"))
            return 0
        _write(output, text)
        context.show(
            {"written": str(output), "count": len(data)}, text=f"{len(data)} written to {output}"
        )
        return 0

    def _read(self, given: Mapping[str, Any]) -> Reading:
        named = [Path(path) for path in given.get("file") or ()]
        try:
            return reading(named or self.place.files())
        except OSError as error:
            raise ConfigError(f"{error.filename} cannot be read: {error.strerror}") from error

    def _nothing(self, read: Reading, given: Mapping[str, Any]) -> str:
        """Why there is nothing to show: the first thing that was asked for and is not there."""
        where = str(self.place.folder)
        named = [Path(path) for path in given.get("file") or ()]
        if named:
            where = str(named[0]) if len(named) == 1 else "these files"
        if not read.events:
            return f"no events in {where}"
        run, session = given.get("run"), given.get("session")
        if run and not read.wanted(run, None, None):
            return f"no run {run!r} in {where}"
        if session and not read.wanted(None, session, None):
            return f"no session {session!r} in {where}"
        return f"no such events in {where}"

    def _tell(self, context: CommandContext, given: Mapping[str, Any], raw: bytes) -> None:
        from ._showing import event_line

        event = logged(raw)
        for one in _wanted(Reading([event] if event else []), given):
            context.show(one.whole, text=event_line(one))


def _wanted(read: Reading, given: Mapping[str, Any]) -> list[Logged]:
    return read.wanted(given.get("run"), given.get("session"), given.get("type"))


def _busy(events: list[Logged], read: Reading, given: Mapping[str, Any]) -> list[Logged]:
    """The events without those of runs that did nothing, where a person did not ask for them."""
    from ._summary import summaries

    if given.get("all") or given.get("run"):
        return events
    idle = {run.run for run in summaries(read.events) if run.idle}
    return [event for event in events if event.run not in idle]


def _left_out(count: int, noun: str) -> list[str]:
    if not count:
        return []
    of = "" if noun == "run" else " of runs"
    nouns = noun if count == 1 else f"{noun}s"
    return [f"{count} more {nouns}{of} that searched and called nothing (--all shows them)"]


def _last(given: Mapping[str, Any]) -> int:
    last = given.get("last")
    return last if isinstance(last, int) and last > 0 else 1


def _torn(read: Reading) -> list[str]:
    if not read.unreadable:
        return []
    lines = "line is" if read.unreadable == 1 else "lines are"
    return [f"{read.unreadable} {lines} torn or no event, and left out"]


def _write(output: str | Path, text: str) -> None:
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"--output {output} cannot be written: {error.strerror}") from error


def _csv(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV; a cell that a spreadsheet would take for a formula is quoted by an apostrophe."""
    output = StringIO()
    if rows:
        writer = csv.DictWriter(output, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return output.getvalue()


def _cell(value: Any) -> Any:
    text = " ".join(value) if isinstance(value, list) else value
    return f"'{text}" if isinstance(text, str) and text[:1] in set("=+-@\t\r") else text
