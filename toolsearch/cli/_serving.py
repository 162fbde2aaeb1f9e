"""What a command needs of its process: to be told to end, and a socket to listen on if it serves."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Coroutine
from typing import Any, TypeVar

from toolsearch_hookspecs import ConfigError

T = TypeVar("T")

TERMINATED = 128 + signal.SIGTERM  # what a shell says of a program that was asked to terminate


def listening(host: str, port: int) -> socket.socket:
    """The socket to serve on. Raises ConfigError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"{host}:{port} cannot be listened on ({error.strerror}); {_cure(error)}"
        ) from error
    return listener


def _cure(error: OSError) -> str:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return "give a --host that this machine has, such as 127.0.0.1"
    if error.errno == errno.EACCES:
        return "give a --port above 1023, or 0 for any"
    return "give another --port, or 0 for any"


def ended_in_order(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end. Asked to terminate, it closes first what it started: a server behind it may
    pay no heed to the end of its input, and would be left behind. Raises SystemExit then.
    """
    asked = False

    async def run() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

        def end() -> None:
            nonlocal asked
            if not asked:
                task.cancel()
            asked = True

        try:
            loop.add_signal_handler(signal.SIGTERM, end)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or another thread
            return await task
        try:
            return await task
        finally:
            loop.remove_signal_handler(signal.SIGTERM)

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        if asked:
            raise SystemExit(TERMINATED) from None
        raise


async def until_told(work: Coroutine[Any, Any, None]) -> None:
    """Run until it ends, or until the process is asked to stop: then it is cancelled, and closes
    in its order. Asked again meanwhile, it goes on closing.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    numbers: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        if not task.cancelling():
            task.cancel()

    try:
        for number in numbers:
            loop.add_signal_handler(number, stop)
    except (NotImplementedError, RuntimeError):  # no such thing on Windows, or in another thread
        numbers = ()
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        stop()
        await asyncio.wait({task})
        raise
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
    if not task.cancelled():
        task.result()
