"""Whoever made a call, while it runs: who can be told how far it is, and asked for input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Caller(Protocol):
    """The far end of a way in (an MCP client, say), for the time of one call."""

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Tell it how far the call is. Never raises."""
        ...

    async def ask(self, message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Ask the person behind it for the fields of a flat schema; None where nobody answers."""
        ...


_current: ContextVar[Caller | None] = ContextVar("toolsearch_caller", default=None)


def caller() -> Caller | None:
    """Who made the call that is being executed here, where a way in said so."""
    return _current.get()


@contextmanager
def calling(who: Caller) -> Iterator[None]:
    """What is executed within, in tasks started within too, has this caller."""
    token = _current.set(who)
    try:
        yield
    finally:
        _current.reset(token)
