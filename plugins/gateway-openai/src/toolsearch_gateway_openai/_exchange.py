"""One request of an app: turns of the model, and the calls between them, until it is answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError, HostApi, ModelCall, RunApi, ToolResult

from ._asker import Asker
from ._errors import ApiError, bad_request
from ._form import Answered, Conversation, OwnResult, Sink
from ._ids import app_id
from ._kept import Waiting, WaitingTurns
from ._marks import Marks
from ._metrics import Metrics
from ._settings import GatewaySettings
from ._tools import TOOL_SEARCH, Declared, HandedBack
from ._upstream import Upstream

log = logging.getLogger(__name__)

_FAREWELL_S = 5.0


@attrs.frozen
class Gateway:
    """What all requests share; `requests` are the tasks that answer those under way."""

    host: HostApi
    settings: GatewaySettings
    upstream: Upstream
    waiting: WaitingTurns
    metrics: Metrics
    marks: Marks
    requests: set[asyncio.Task[Any]] = attrs.field(factory=set)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """For the time of one request, which ends with the gateway at the latest."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a request is answered in a task
        self.requests.add(task)
        try:
            yield
        finally:
            self.requests.discard(task)

    async def aclose(self) -> None:
        """End what is under way, so that it is told as ended, then everything else."""
        for task in list(self.requests):
            if not task.cancelling():  # a second time would interrupt its tidying up
                task.cancel()
        if self.requests:
            await asyncio.wait(list(self.requests), timeout=_FAREWELL_S)
        await self.waiting.aclose()
        await self.upstream.aclose()


@attrs.frozen
class Outcome:
    """What came of the calls of one turn."""

    answered: tuple[Answered, ...]
    handed: tuple[HandedBack, ...]


@attrs.define
class Exchange:
    """A request on its way. `executed` says whether a call may have changed something: from then
    on nobody may send the request again, which `mark` stands for.
    """

    gateway: Gateway
    asker: Asker
    conversation: Conversation
    model: str | None
    message: str | None
    mark: str | None = None
    executed: bool = False
    _run: RunApi | None = None

    async def answer(self) -> Mapping[str, Any]:
        """The answer as a whole. Raises ApiError."""
        handed = await self._played(None)
        return self.conversation.answer(handed)

    async def stream(self, sink: Sink) -> None:
        """The answer as events. Raises ApiError."""
        handed = await self._played(sink)
        await self.conversation.end(sink, handed)

    async def _played(self, sink: Sink | None) -> Sequence[HandedBack]:
        """Turn after turn. Gives the calls that the app is to perform."""
        seconds = self.gateway.settings.request_ms / 1000
        kept = False
        try:
            async with asyncio.timeout(seconds):
                run = self._run = await self._begun()
                handed = await self._turns(run, sink)
            if handed:
                await self.gateway.waiting.keep(
                    self.asker.principal, run, self.conversation, self.model, handed
                )
                kept = True
        except TimeoutError:
            message = f"the request took longer than {seconds:g} s"
            raise ApiError(504, message, type="timeout_error", code="request_timeout") from None
        finally:
            if self._run is not None and not kept:
                await self._run.aclose()
        return handed

    async def _turns(self, run: RunApi, sink: Sink | None) -> Sequence[HandedBack]:
        told = self.conversation.declared(run)
        most = self.gateway.settings.max_turns
        for turn in range(most + 1):
            calls = await self._turn(told, sink, last=turn == most)
            if not calls:
                return ()
            if turn == most:
                break
            outcome = await self._called(run, told, calls)
            self.conversation.go_on(outcome.answered)
            if outcome.handed:
                return outcome.handed
        raise ApiError(
            508,
            f"the model still called tools after {most} turns",
            type="server_error",
            code="too_many_turns",
        )

    async def _turn(self, told: Declared, sink: Sink | None, *, last: bool) -> Sequence[ModelCall]:
        upstream, passed = self.gateway.upstream, self.asker.passed
        path, body = self.conversation.path, self.conversation.request(told, last=last)
        self.gateway.metrics.turns += 1
        if sink is None:
            return self.conversation.take(await upstream.answer(path, body, passed))
        streaming = self.conversation.streaming(sink)
        async with upstream.events(path, body, passed) as events:
            async for event in events:
                await streaming.take(event)
        return streaming.calls()

    async def _called(self, run: RunApi, told: Declared, calls: Sequence[ModelCall]) -> Outcome:
        """All calls of one turn, side by side; the host sees to the order that they need."""
        ids = [app_id(call.id) for call in calls]
        self._begin()
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._result(run, told, call, id))
                for call, id in zip(calls, ids, strict=True)
            ]
        answered, handed = [], []
        for call, id, task in zip(calls, ids, tasks, strict=True):
            result = task.result()
            if result.handed_back is not None:
                own = self.conversation.own
                handed.append(HandedBack.of(call, result.handed_back, id, own))
            else:
                found = told.found(result.value) if call.search else ()
                answered.append(Answered(call, result.text, found))
        self.gateway.metrics.calls += len(answered)
        return Outcome(tuple(answered), tuple(handed))

    @staticmethod
    async def _result(run: RunApi, told: Declared, call: ModelCall, id: str) -> ToolResult:
        if not call.search:
            return await run.handle(told.back(call.name), call.arguments, call_id=id)
        result = await run.control(TOOL_SEARCH, call.arguments, call_id=id)
        hits = result.value.get("hits") if isinstance(result.value, Mapping) else None
        return result.model_copy(update={"value": hits})

    def settled(self) -> None:
        """The app was answered, by whatever: what it sends now is a request of its own."""
        if self.executed and self.mark is not None:
            self.gateway.marks.clear(self.mark)

    def _begin(self) -> None:
        if not self.executed and self.mark is not None:
            self.gateway.marks.set(self.mark)
        self.executed = True

    async def _begun(self) -> RunApi:
        """The run that goes on, or a new one."""
        found = self.gateway.waiting.taken(
            self.asker.principal, self.conversation, self.conversation.own_results()
        )
        if found is None:
            return await self._planned()
        waiting, results = found
        try:
            told = [await self._delivered(waiting, result) for result in results]
        except BaseException:
            await waiting.run.aclose()
            raise
        self._begin()
        self.conversation.resume(waiting.kept, told)
        if waiting.fits(self.conversation, self.model):
            return waiting.run
        await waiting.run.aclose()
        return await self._planned()

    async def _delivered(self, waiting: Waiting, result: OwnResult) -> OwnResult:
        """What the model is told of the app's own result, once the hooks have seen it."""
        try:
            final: ToolResult = await waiting.run.deliver(result.id, result.text)
        except LookupError:
            return result
        return attrs.evolve(result, text=final.text)

    async def _planned(self) -> RunApi:
        settings = self.gateway.settings.upstream
        try:
            return await self.gateway.host.plan(
                **self.asker.context,
                provider=settings.provider,
                model=self.model,
                client_tools=self.conversation.own.client_tools,
                client="app",
                message=self.message,
                context_chars=settings.context_chars,
            )
        except ConfigError as error:
            raise bad_request(str(error), param="tools", code="tools_refused") from error
