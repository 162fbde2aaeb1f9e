from __future__ import annotations

import asyncio
import contextvars
import threading

from toolsearch.plugins import HookCalls
from toolsearch.plugins._dispatch import Dispatcher
from toolsearch.plugins._events import EventQueue
from toolsearch.plugins._implementations import Implementations
from toolsearch.plugins._reports import Reports

from .conftest import LONG, SHORT, Hosted, event, plugin_with

NEVER = 1e6  # seconds: beyond what a step of the machine's clock could end


def sink(function) -> type:
    return plugin_with(toolsearch_event=lambda self, event: function(event))


async def test_events_reach_every_sink_in_order_and_off_the_loop(hosted: Hosted):
    told: list = []
    threads = set()

    def take(event):
        told.append(event.seq)
        threads.add(threading.current_thread())

    host = hosted(sink=sink(take))
    for seq in range(100):
        host.hooks.emit(event(seq))
    await host.hooks.drain()
    assert told == list(range(100))
    assert threading.current_thread() not in threads
    assert len(threads) == 1
    await host.shutdown()


async def test_events_gather_before_they_are_told_and_nobody_who_waits_for_them_waits_longer(
    hosted: Hosted,
):
    told: list = []
    host = hosted(sink=sink(lambda event: told.append(event.seq)))
    queue = EventQueue(host.hooks._dispatcher, linger_s=NEVER)
    for round_ in range(3):
        for seq in range(3):
            queue.put(event(seq))
        await asyncio.sleep(0.01)
        assert len(told) == 3 * round_
        async with asyncio.timeout(20):
            await queue.drain()
        assert told == [0, 1, 2] * (round_ + 1)
    queue.put(event(9))
    queue.close()
    await until(lambda: told[-1] == 9)
    await host.shutdown()


async def test_waiting_for_no_event_at_all_leaves_those_after_it_to_gather(hosted: Hosted):
    told: list = []
    host = hosted(sink=sink(lambda event: told.append(event.seq)))
    queue = EventQueue(host.hooks._dispatcher, linger_s=NEVER)
    queue.put(event(0))
    for _ in range(200):  # the thread stands ready, and is quicker than who wakes it
        await queue.drain()
    assert not queue._hurry.is_set()
    queue.put(event(1))
    await asyncio.sleep(0.05)
    assert told == [0]
    queue.close()
    await until(lambda: told == [0, 1])
    await host.shutdown()


async def until(true) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def test_a_sink_that_fails_is_called_on_and_reported_once(hosted: Hosted):
    told = []

    def fail(event):
        told.append(event.seq)
        raise (SystemExit, ValueError, KeyboardInterrupt)[event.seq % 3]

    host = hosted(broken=sink(fail))
    for seq in range(9):
        host.hooks.emit(event(seq))
    await host.hooks.drain()
    assert told == list(range(9))
    assert [each.subject for each in host.diagnostics] == ["broken"]
    await host.shutdown()


async def test_events_that_find_the_queue_full_are_dropped_and_counted(hosted: Hosted, tmp_path):
    loop = asyncio.get_running_loop()
    begun, release = asyncio.Event(), threading.Event()
    told = []

    def take(event):
        loop.call_soon_threadsafe(begun.set)
        release.wait()
        told.append(event.seq)

    host = hosted(slow=sink(take))
    queue = EventQueue(host.hooks._dispatcher, capacity=3)
    queue.put(event(0))
    await begun.wait()
    for seq in range(1, 8):
        queue.put(event(seq))
    assert queue.dropped == 4
    assert [each.code for each in host.diagnostics] == ["plugins.events-dropped"]
    release.set()
    await queue.drain()
    assert told == [0, 1, 2, 3]
    queue.close()
    assert host.diagnostics[-1].message == "4 events were dropped in all"
    await host.shutdown()


async def test_a_sink_that_hangs_does_not_hold_the_close(hosted: Hosted):
    release = threading.Event()
    host = hosted(SHORT, hung=sink(lambda event: release.wait()))
    host.hooks.emit(event())
    problems = await host.shutdown()
    assert [each.code for each in problems] == ["plugins.events-stuck"]
    release.set()


async def test_events_carry_the_context_they_arose_in(hosted: Hosted):
    span = contextvars.ContextVar("span", default="none")
    seen = []
    host = hosted(sink=sink(lambda event: seen.append(span.get())))
    span.set("a span")
    host.hooks.emit(event())
    await host.hooks.drain()
    assert seen == ["a span"]
    await host.shutdown()


async def test_after_the_close_events_go_nowhere(hosted: Hosted):
    told = []
    host = hosted(sink=sink(told.append))
    await host.shutdown()
    host.hooks.emit(event())
    await host.hooks.drain()
    assert told == []


async def test_without_sinks_no_thread_is_started():
    before = threading.active_count()
    hooks = HookCalls(Dispatcher(Implementations(), Reports()))
    hooks.emit(event())
    await hooks.drain()
    assert threading.active_count() == before


async def test_events_are_all_told_before_the_plugins_close(hosted: Hosted):
    order = []
    host = hosted(
        sink=plugin_with(
            toolsearch_event=lambda self, event: order.append(event.seq),
            toolsearch_shutdown=lambda self: order.append("closed"),
        )
    )
    for seq in range(50):
        host.hooks.emit(event(seq))
    await host.shutdown()
    assert order == [*range(50), "closed"]


async def test_every_plugin_closes_though_one_fails_or_hangs(hosted: Hosted):
    closed = []

    async def hang(self):
        host.set_limits(LONG)  # for those after it
        await asyncio.sleep(3600)

    def fail(self):
        raise SystemExit

    host = hosted(
        SHORT,
        a=plugin_with(toolsearch_shutdown=hang),
        b=plugin_with(toolsearch_shutdown=fail),
        c=plugin_with(toolsearch_shutdown=lambda self: closed.append("c")),
    )
    problems = await host.shutdown()
    assert [each.subject for each in problems] == ["a", "b"]
    assert closed == ["c"]


async def test_closing_twice_closes_once(hosted: Hosted):
    closed = []
    host = hosted(a=plugin_with(toolsearch_shutdown=lambda self: closed.append("a")))
    await host.shutdown()
    assert await host.shutdown() == ()
    assert closed == ["a"]


async def test_the_threads_of_a_closed_host_end(hosted: Hosted):
    before = set(threading.enumerate())
    host = hosted(
        a=plugin_with(
            toolsearch_event=lambda self, event: None, toolsearch_shutdown=lambda self: None
        )
    )
    host.hooks.emit(event())
    await host.shutdown()
    for thread in set(threading.enumerate()) - before:
        await asyncio.to_thread(thread.join, 30)
        assert not thread.is_alive()


async def test_whoever_listens_is_told_each_new_report(hosted: Hosted):
    def fail(event):
        raise ValueError

    host = hosted(broken=sink(fail))
    heard = []
    host.listen(heard.append)
    for _ in range(3):
        host.hooks.emit(event())
    await host.hooks.drain()
    assert heard == list(host.diagnostics)
    assert len(heard) == 1
    await host.shutdown()
