"""What a command that serves needs of its process: a socket to listen on, and to be told to stop."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Coroutine
from typing import Any

from toolsearch_hookspecs import ConfigError


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
