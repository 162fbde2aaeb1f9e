"""Which calls of a run are under way at the same time."""

import asyncio

import pytest

from toolsearch.results import Sequencer


class Work:
    """Calls that tell when they are under way and end when they are told to."""

    def __init__(self, parallel):
        self.sequencer = Sequencer(parallel)
        self.running = []
        self.begun = []
        self.waited = {}
        self.ends = {}

    def start(self, name, *, exclusive=False):
        self.ends[name] = asyncio.Event()
        return asyncio.create_task(self._call(name, exclusive))

    async def _call(self, name, exclusive):
        async with self.sequencer.turn(exclusive=exclusive) as waited:
            self.waited[name] = waited
            self.running.append(name)
            self.begun.append(name)
            try:
                await self.ends[name].wait()
            finally:
                self.running.remove(name)

    async def settle(self):
        for _ in range(20):
            await asyncio.sleep(0)

    async def finish(self, name):
        self.ends[name].set()
        await self.settle()


async def test_no_more_calls_than_allowed_are_under_way_and_the_first_come_first():
    work = Work(2)
    tasks = [work.start(name) for name in "abcd"]
    await work.settle()
    assert work.running == ["a", "b"]
    await work.finish("b")
    assert work.running == ["a", "c"]
    await work.finish("a")
    assert work.begun == list("abcd")
    assert work.waited == {"a": False, "b": False, "c": True, "d": True}
    for name in "cd":
        await work.finish(name)
    await asyncio.gather(*tasks)


async def test_exclusive_calls_are_under_way_one_at_a_time_in_order_beside_others():
    work = Work(3)
    tasks = [work.start("e1", exclusive=True), work.start("e2", exclusive=True)]
    tasks += [work.start("a"), work.start("b"), work.start("e3", exclusive=True)]
    await work.settle()
    assert work.running == ["e1", "a", "b"]
    await work.finish("e1")
    assert work.running == ["a", "b", "e2"]
    await work.finish("e2")
    assert work.begun == ["e1", "a", "b", "e2", "e3"]
    assert work.waited["e1"] is False
    assert work.waited["e2"] is work.waited["e3"] is True
    for name in ("a", "b", "e3"):
        await work.finish(name)
    await asyncio.gather(*tasks)


@pytest.mark.parametrize("exclusive", [True, False])
async def test_a_call_cancelled_while_it_waits_leaves_its_place_to_the_next(exclusive):
    work = Work(1)
    first, second, third = (work.start(name, exclusive=exclusive) for name in "abc")
    await work.settle()
    second.cancel()
    await work.settle()
    await work.finish("a")
    assert work.running == ["c"]
    await work.finish("c")
    await asyncio.gather(first, third)
    assert second.cancelled()


@pytest.mark.parametrize("exclusive", [True, False])
async def test_a_call_cancelled_or_failed_during_its_turn_gives_it_up(exclusive):
    work = Work(1)
    first = work.start("a", exclusive=exclusive)
    await work.settle()
    second = work.start("b", exclusive=exclusive)
    await work.settle()
    first.cancel()
    await work.settle()
    assert work.running == ["b"]
    await work.finish("b")
    await second
    with pytest.raises(ZeroDivisionError):
        async with work.sequencer.turn(exclusive=exclusive):
            raise ZeroDivisionError
    async with work.sequencer.turn(exclusive=exclusive) as waited:
        assert waited is False


async def test_a_call_cancelled_in_the_moment_it_gets_its_turn_does_not_keep_it():
    work = Work(1)
    first, second = work.start("a", exclusive=True), work.start("b", exclusive=True)
    await work.settle()
    work.ends["a"].set()
    await first
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(10), work.sequencer.turn(exclusive=True):
        pass
