"""What a command that serves is given by its process."""

import asyncio
import os
import signal
import sys

import pytest

from toolsearch.cli._serving import listening, until_told
from toolsearch_hookspecs import ConfigError

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="no signals here")


class Work:
    """Serves until it is cancelled, then takes a moment to close."""

    def __init__(self, closes_in=0.0):
        self.closes_in = closes_in
        self.began, self.cancelled, self.closed = asyncio.Event(), 0, False

    async def __call__(self):
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled += 1
            await asyncio.sleep(self.closes_in)
            self.closed = True


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_work_closes_in_its_order_however_often_it_is_asked_to_stop(number):
    work = Work(closes_in=0.2)
    serving = asyncio.ensure_future(until_told(work()))
    await work.began.wait()
    for _ in range(3):
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.02)
    async with asyncio.timeout(5):
        await serving
    assert (work.cancelled, work.closed) == (1, True)
    assert asyncio.get_running_loop().remove_signal_handler(number) is False


async def test_work_whose_caller_is_cancelled_closes_before_that_is_passed_on():
    work = Work()
    serving = asyncio.ensure_future(until_told(work()))
    await work.began.wait()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert work.closed


async def test_work_that_ends_or_fails_by_itself_is_given_back():
    async def fails():
        raise ConfigError("no")

    with pytest.raises(ConfigError):
        await until_told(fails())
    assert await until_told(asyncio.sleep(0)) is None


def test_an_address_that_is_taken_is_an_error_that_says_what_to_do():
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"127\.0\.0\.1:{port} cannot.*another --port"):
            listening("127.0.0.1", port)
