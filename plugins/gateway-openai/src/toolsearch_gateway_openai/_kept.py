"""Turns that wait for the app: the run, and what the model has done so far.

An app that performs a call itself comes back with a new request. Until then the run lives on with
the hidden turns, so that the model sees what it has done already and does nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import attrs

from toolsearch_hookspecs import RunApi

from ._form import Conversation, Kept, OwnResult
from ._tools import HandedBack, OwnTools


@attrs.frozen
class Waiting:
    """One turn of an app that waits for the results of its own calls."""

    principal: str
    run: RunApi
    own: OwnTools
    path: str
    model: str | None
    kept: Kept
    calls: tuple[HandedBack, ...]
    expires: float

    def fits(self, conversation: Conversation, model: str | None) -> bool:
        """Whether the run can go on as it was planned."""
        return self.own == conversation.own and self.model == model


class WaitingTurns:
    """The turns that wait, by the ids of their calls: bounded in number and in time."""

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._most = most
        self._by_call: dict[str, Waiting] = {}

    def __len__(self) -> int:
        return len(_each_once(self._by_call.values()))

    async def keep(
        self,
        principal: str,
        run: RunApi,
        conversation: Conversation,
        model: str | None,
        handed: Sequence[HandedBack],
    ) -> None:
        """Have a turn wait for the results of the calls that were handed back."""
        await self._make_room()
        waiting = Waiting(
            principal=principal,
            run=run,
            own=conversation.own,
            path=conversation.path,
            model=model,
            kept=conversation.keep(handed),
            calls=tuple(handed),
            expires=asyncio.get_running_loop().time() + self._seconds,
        )
        for call in handed:
            self._by_call[call.id] = waiting

    def taken(
        self, principal: str, conversation: Conversation, results: Sequence[OwnResult]
    ) -> tuple[Waiting, tuple[OwnResult, ...]] | None:
        """The turn that a request goes on with, and the results for it; it waits no longer.

        None where nothing waits for them, or some of its calls have no result.
        """
        for result in reversed(results):
            waiting = self._by_call.get(result.id)
            if waiting is None or waiting.principal != principal:
                continue
            by_id = {each.id: each for each in results}
            if waiting.path != conversation.path or any(c.id not in by_id for c in waiting.calls):
                return None
            self._forget(waiting)
            return waiting, tuple(by_id[call.id] for call in waiting.calls)
        return None

    async def aclose(self) -> None:
        await self._end(_each_once(self._by_call.values()))

    async def _make_room(self) -> None:
        now = asyncio.get_running_loop().time()
        waiting = _each_once(self._by_call.values())
        over = max(len(waiting) - self._most + 1, 0)
        await self._end([w for n, w in enumerate(waiting) if n < over or w.expires <= now])

    async def _end(self, ended: Iterable[Waiting]) -> None:
        for waiting in ended:
            self._forget(waiting)
            await waiting.run.aclose()

    def _forget(self, waiting: Waiting) -> None:
        for call in waiting.calls:
            self._by_call.pop(call.id, None)


def _each_once(waiting: Iterable[Waiting]) -> list[Waiting]:
    """Each once, the oldest first."""
    return list({id(each): each for each in waiting}.values())
