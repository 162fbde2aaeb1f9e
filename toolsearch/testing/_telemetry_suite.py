"""What the host and every author may expect of a sink of events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import Event, EventType

from ._case import HookConformance, all_survived, case, expect, scene, told
from ._hosts import STRUCTURED, observed_host
from ._list_source import ListSource
from ._samples import HOSTILE_TEXTS

SECRET = "kwyjibo-7f3a"  # noqa: S105  it stands for content, and is looked for
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DATA: Mapping[EventType, Mapping[str, Any]] = {
    EventType.RUN_PLANNED: {"mode": "tools", "surfaceBytes": 900, "directBytes": 90_000,
                            "catalog": {"plugin": 3}, "catalogSize": 3, "visibleTools": 3},
    EventType.RUN_ENDED: {"searches": 1, "describes": 1, "calls": 1, "ms": 4.0},
    EventType.SOURCE_FAILED: {"source": "mcp", "owner": "calendar", "reason": "down"},
    EventType.TOOL_QUARANTINED: {"source": "mcp", "owner": "github", "name": "x", "reason": "bad"},
    EventType.CATALOG_CHANGED: {"added": 1, "removed": 0},
    EventType.SEARCH: {"call": "c1", "queries": 1, "hits": 2, "limit": 8, "ms": 1.5},
    EventType.DESCRIBE: {"call": "c2", "tool": "plugin:echo:say", "ok": True, "ms": 0.2},
    EventType.CALL_STARTED: {"call": "c3", "via": "tool_call", "tool": "plugin:echo:say",
                             "source": "plugin", "owner": "echo"},
    EventType.CALL_ENDED: {"call": "c3", "via": "tool_call", "tool": "plugin:echo:say",
                           "source": "plugin", "owner": "echo", "ok": True, "ms": 3.0},
    EventType.RESULT_READ: {"call": "c6", "via": "tool_call", "ok": True, "chars": 9, "ms": 0.1},
    EventType.CODE_ENDED: {"call": "c4", "outcome": "ok", "ms": 40.0, "bridgeCalls": 2},
    EventType.APPROVAL_REQUESTED: {"call": "c5", "tool": "plugin:echo:say", "request": "r",
                                   "by": ["policy"]},
    EventType.APPROVAL_ANSWERED: {"call": "c5", "request": "r", "decision": "reject", "ms": 9.0},
    EventType.PLUGIN_FAILED: {"plugin": "x", "code": "y", "level": "error"},
}  # fmt: skip


class TelemetryConformance(HookConformance):
    """`class TestMine(TelemetryConformance): plugin = mine.plugin`

    Override `kept` where the sink keeps elsewhere than in files under its folder.
    """

    HOOK = "toolsearch_event"

    def kept(self, sink: Any, folder: Path) -> str:
        """All that the sink kept, as one text."""
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return "\n".join(path.read_bytes().decode(errors="replace") for path in files)

    @case
    async def test_the_hook_is_no_coroutine(self, sink: Any) -> None:
        expect(
            not asyncio.iscoroutinefunction(sink.toolsearch_event),
            "toolsearch_event is async; it is a plain function on the host's event queue",
        )

    @case
    async def test_every_type_of_event_is_taken(self, sink: Any) -> None:
        for event in a_run():
            tell(sink, event)

    @case
    async def test_events_without_data_are_taken(self, sink: Any) -> None:
        for type_ in EventType:
            tell(sink, Event(type=type_, at=NOON, seq=1))

    @case
    async def test_data_that_it_does_not_know_is_taken(self, sink: Any) -> None:
        for type_ in EventType:
            data = {**DATA[type_], "newInALaterVersion": {"nested": [1, None, "x"]}}
            tell(sink, Event(type=type_, at=NOON, seq=1, run="run_1", data=data))

    @case
    async def test_events_out_of_order_are_taken(self, sink: Any) -> None:
        for event in reversed(list(a_run())):
            tell(sink, event)

    @case
    async def test_no_text_raises(self, sink: Any) -> None:
        failures: dict[str, BaseException | None] = {}
        for text in HOSTILE_TEXTS:
            for type_ in EventType:
                data = {**DATA[type_], "tool": text, "reason": text, "owner": text}
                event = Event(
                    type=type_, at=NOON, seq=1, run=text, session=text, agent=text, data=data,
                    content={"arguments": {text: text}},
                )  # fmt: skip
                failures[text] = failures.get(text) or raised_by(sink, event)
        all_survived(failures, "Telemetry fails nothing: leave out what cannot be kept")

    @case
    async def test_odd_values_are_taken(self, sink: Any) -> None:
        for value in (float("nan"), float("inf"), 10**400, b"\xff", {1, 2}, object(), [[[[]]]]):
            tell(sink, Event(type=EventType.SEARCH, at=NOON, seq=1, data={"hits": value}))

    @case
    async def test_events_from_several_threads_are_taken(self, sink: Any) -> None:
        failures: list[BaseException] = []

        def talk(number: int) -> None:
            try:
                for event in a_run(f"run_{number}"):
                    sink.toolsearch_event(event)
            except BaseException as failure:  # noqa: BLE001  told to the author below
                failures.append(failure)

        threads = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        expect(not failures, f"events from several threads raised {failures[:1]}")

    @case
    async def test_thousands_of_events_are_taken(self, sink: Any) -> None:
        for number in range(300):
            for event in a_run(f"run_{number}"):
                tell(sink, event)

    @scene
    async def test_content_is_kept_nowhere_unless_the_deployment_opted_in(
        self, folder: Path
    ) -> None:
        sink = await self.subject(folder)
        for event in a_run():
            content = {"arguments": {"text": SECRET}, "result": SECRET, "query": SECRET}
            tell(sink, event.model_copy(update={"content": content}))
        await self.close(sink)
        expect(
            SECRET not in self.kept(sink, folder),
            "arguments, results or queries were kept; `content` may be kept only where "
            "`log.content` is true",
        )

    @case
    async def test_closing_without_events_is_fine(self, sink: Any) -> None:
        await self.close(sink)

    @case
    async def test_events_after_closing_are_survived(self, sink: Any) -> None:
        for event in a_run():
            tell(sink, event)
        await self.close(sink)
        tell(sink, Event(type=EventType.RUN_ENDED, at=NOON, seq=99, run="run_1"), "after closing")

    @scene
    async def test_two_instances_live_side_by_side(self, folder: Path) -> None:
        sinks = [await self.subject(folder) for _ in range(2)]
        for number, sink in enumerate(sinks):
            for event in a_run(f"run_{number}"):
                tell(sink, event)
        await self.close(sinks[0])
        for event in a_run("run_2"):
            tell(sinks[1], event, "after another instance was closed")
        await self.close(sinks[1])

    @scene
    async def test_in_a_host_it_fails_nothing(self, folder: Path) -> None:
        source = ListSource("echo", {"say": lambda **said: said})
        host = observed_host(
            folder / "host",
            {**STRUCTURED, **self._settings()},
            source,
            plugins=[("under-test", self.plugin)],
            only=("index-whoosh", "mode-tools"),
            environ=dict(self.environ),
        )
        async with host:
            run = await host.plan()
            await run.handle("tool_search", {"query": "say"})
            called = await run.handle("tool_call", {"id": "plugin:echo:say", "args": {}})
            expect(not called.is_error, f"a call failed: {called.text}")
            await run.aclose()
        said = [each.message for each in host.diagnostics() if each.subject == "under-test"]
        expect(not said, f"the host had to report it: {said}")

    def _settings(self) -> dict[str, Any]:
        return {"plugins": {"settings": {"under-test": dict(self.settings)}}, **self.claimed}


def a_run(run: str = "run_1") -> Iterable[Event]:
    """One event of every type, in the order of a run."""
    return _events(run)


def _events(run: str) -> Iterator[Event]:
    for number, type_ in enumerate(EventType):
        yield Event(
            type=type_,
            at=NOON + timedelta(seconds=number),
            seq=number + 1,
            run=run,
            session="session_1",
            agent="main",
            data=DATA[type_],
        )


def raised_by(sink: Any, event: Event) -> BaseException | None:
    try:
        sink.toolsearch_event(event)
    except Exception as failure:  # noqa: BLE001  whatever a sink raises is told to its author
        return failure
    return None


def tell(sink: Any, event: Event, when: str = "") -> None:
    """Give one event, and tell the author what it raised."""
    __tracebackhide__ = True
    failure = raised_by(sink, event)
    what = f"{event.type.value} {when}".strip()
    expect(
        failure is None,
        f"{what} raised {told(failure)}; telemetry fails nothing: leave out what cannot be kept",
    )
