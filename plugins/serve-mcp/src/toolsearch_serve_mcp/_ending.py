"""Serving until told to stop, and ending so that nobody is left without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from ._front import Front

_TO_THE_WIRE_SECONDS = 0.1  # what the last answers take from here to the client
_STOPS_WITHIN_SECONDS = 5.0


async def serving(
    work: Coroutine[Any, Any, None], front: Front, stop: Callable[[], None] | None = None
) -> None:
    """Serve until the work ends or this is cancelled. Then the calls under way may end for a
    moment, the rest of them are cancelled and answered so, and only then the work is ended: by
    `stop`, where it knows a way, or else by cancelling it.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        await front.farewell()
        await asyncio.sleep(_TO_THE_WIRE_SECONDS)
        if stop is not None:
            stop()
            await asyncio.wait({task}, timeout=_STOPS_WITHIN_SECONDS)
        task.cancel()
        await asyncio.wait({task})
        raise
    task.result()
