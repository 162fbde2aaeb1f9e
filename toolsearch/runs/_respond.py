"""One whole step with a model: its message in, every call answered, the next messages out."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from toolsearch_hookspecs import (
    ApprovalRequest,
    CallError,
    Diagnostic,
    ModelCall,
    ModelSurface,
    RenderedSurface,
    Surface,
    ToolCall,
    ToolDefinition,
    ToolResult,
)

from ..calls import RunState
from ..surfaces import Surfaces
from ._search import Search
from ._structured import found_ids, search_answer
from ._surface import PlannedSurface


@attrs.frozen
class Answer:
    """One call of the model and what came of it. `call` is as the provider has it; `call_id` is
    the run's own word for it, which `run.deliver` takes.
    """

    call: ModelCall
    call_id: str
    result: ToolResult

    @property
    def waits(self) -> bool:
        """Whether the result is not final: a person, or the caller, comes first."""
        return self.result.pending is not None or self.result.handed_back is not None


@attrs.frozen
class Step:
    """What one message of a model led to.

    `messages` go to the end of the conversation as they are: the model's own message, then the
    results. Where `pending` or `handed_back` name calls that wait, give their results first:

        for call in step.handed_back:
            step = step.answered(call.id, await run.deliver(call.id, performed(call)))
        for request in step.pending:
            step = step.answered(request.call.id, await host.resume(request.id, decision))
    """

    answers: tuple[Answer, ...]
    history: tuple[Any, ...]
    _surface: Surface = attrs.field(repr=False)
    _rendered: RenderedSurface = attrs.field(repr=False)

    @property
    def done(self) -> bool:
        """Whether the model called nothing: its message is its answer."""
        return not self.answers

    @property
    def waits(self) -> bool:
        """Whether some call waits, so that there are no messages yet."""
        return any(answer.waits for answer in self.answers)

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """What a person must answer, of a run planned with `approvals="return"`."""
        asked = (answer.result.pending for answer in self.answers)
        return tuple(request for request in asked if request is not None)

    @property
    def handed_back(self) -> tuple[ToolCall, ...]:
        """The calls of client tools that the caller performs itself."""
        calls = (answer.result.handed_back for answer in self.answers)
        return tuple(call for call in calls if call is not None)

    @property
    def results(self) -> tuple[Any, ...]:
        """The messages that carry the results back, none where nothing was called.

        Raises LookupError while a call waits: a provider refuses a conversation in which some
        call has no result.
        """
        waiting = [answer.call_id for answer in self.answers if answer.waits]
        if waiting:
            message = f"these calls wait for their results: {', '.join(waiting)}"
            raise LookupError(message)
        if not self.answers:
            return ()
        pairs = [(answer.call, answer.result) for answer in self.answers]
        return tuple(self._surface.results(pairs, self._rendered))

    @property
    def messages(self) -> tuple[Any, ...]:
        """The model's message and the results, for the end of the conversation."""
        return (*self.history, *self.results)

    def answered(self, call_id: str, result: ToolResult) -> Step:
        """The step with the result of a call that waited. Raises LookupError for another id."""
        if not any(answer.call_id == call_id and answer.waits for answer in self.answers):
            message = f"no call {call_id} of this step waits"
            raise LookupError(message)
        answers = tuple(
            attrs.evolve(answer, result=result) if answer.call_id == call_id else answer
            for answer in self.answers
        )
        return attrs.evolve(self, answers=answers)


class Answering(Protocol):
    """What a run does for its `Responder`."""

    planned_surface: PlannedSurface
    diagnostics: tuple[Diagnostic, ...]

    async def handle(
        self, name: str, arguments: Any, *, call_id: str | None = None
    ) -> ToolResult: ...

    def waits_for(self, call_id: str) -> bool: ...


@attrs.define
class Responder:
    """Speaks a provider's form for one run.

    `native` is what a provider's own tool search is told of ours, where the run leaves searching
    to the provider (S4.9).
    """

    run: Answering
    state: RunState
    search: Search
    surfaces: Surfaces
    native: ToolDefinition | None = None
    _rendered: dict[str, RenderedSurface] = attrs.field(factory=dict)

    def rendered(self, asked: str | None) -> RenderedSurface:
        """The run's surface in a provider's form; drawn once. Raises ConfigError."""
        chosen = self.surfaces.chosen(asked, self.state.context.provider)
        name = chosen.surface.name
        if name not in self._rendered:
            model = self.run.planned_surface.model
            if self.native is not None and chosen.surface.limits.searches:
                model = self._deferred(model, self.native)
            rendered = self._rendered[name] = chosen.render(model)
            if rendered.changes:
                self.run.diagnostics = (*self.run.diagnostics, _changed(name, rendered))
        return self._rendered[name]

    async def respond(self, message: Any, asked: str | None) -> Step:
        """Answer every call of a message, side by side; results in the order of the calls."""
        surface = self.surfaces.chosen(asked, self.state.context.provider).surface
        rendered = self.rendered(asked)
        whole = await _whole(message, surface)
        calls = surface.calls(whole, rendered)
        ids = self._own_ids(calls)
        places = asyncio.Semaphore(self.state.limits.max_parallel_calls)

        async def answer(call: ModelCall, call_id: str) -> Answer:
            async with places:
                return Answer(call, call_id, await self._result(call, call_id, rendered))

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(answer(call, call_id))
                for call, call_id in zip(calls, ids, strict=True)
            ]
        answers = tuple(task.result() for task in tasks)
        return Step(answers, tuple(surface.history(whole)), surface, rendered)

    async def _result(self, call: ModelCall, call_id: str, rendered: RenderedSurface) -> ToolResult:
        if call.search:
            return await self._searched(call, call_id, rendered)
        name = rendered.names.get(call.name, call.name)
        arguments = _own_arguments(call.arguments, rendered.parameters.get(call.name, {}))
        return await self.run.handle(name, arguments, call_id=call_id)

    async def _searched(
        self, call: ModelCall, call_id: str, rendered: RenderedSurface
    ) -> ToolResult:
        try:
            limits = self.state.limits
            answer = await search_answer(
                self.search, call.arguments, call_id, limits.max_result_bytes, limits.max_queries
            )
        except CallError as error:
            return ToolResult(error=error.failure)
        shown = {tool_id: name for name, tool_id in self.run.planned_surface.names.items()}
        given = {name: sent for sent, name in rendered.names.items()}
        names = (given.get(shown.get(tool_id, "")) for tool_id in found_ids(answer))
        return ToolResult(value=[name for name in names if name in rendered.deferred])

    def _deferred(self, model: ModelSurface, search: ToolDefinition) -> ModelSurface:
        ids = self.run.planned_surface.names
        shown = {tool.id for tool in self.state.catalog.visible}
        return ModelSurface(
            tools=tuple(tool for tool in model.tools if ids.get(tool.name) in shown),
            deferred=tuple(tool for tool in model.tools if ids.get(tool.name) not in shown),
            prompt=model.prompt,
            search=search,
        )

    def _own_ids(self, calls: Sequence[ModelCall]) -> list[str]:
        """The provider's ids where they tell the calls apart, and others where they do not."""
        ids: list[str] = []
        for call in calls:
            usable = call.id and call.id not in ids and not self.run.waits_for(call.id)
            ids.append(call.id if usable else f"call_{secrets.token_hex(8)}")
        return ids


def _changed(name: str, rendered: RenderedSurface) -> Diagnostic:
    count = len(rendered.changes)
    tools = "1 tool is" if count == 1 else f"{count} tools are"
    shown = " | ".join(rendered.changes[:3])
    more = f" | and {count - 3} more" if count > 3 else ""
    return Diagnostic(
        level="info",
        code="surface_changed",
        message=f"{tools} sent to {name} otherwise than written: {shown}{more}",
        subject=name,
    )


async def _whole(message: Any, surface: Surface) -> Any:
    """The message; of a stream, or of the list of its chunks, what they say together."""
    if hasattr(message, "__aiter__"):
        message = [chunk async for chunk in message]
    return surface.joined(message) if isinstance(message, list | tuple) else message


def _own_arguments(arguments: Any, parameters: Mapping[str, str]) -> Any:
    """A model's arguments under the tool's own names of properties."""
    if not parameters:
        return arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return arguments
    if not isinstance(arguments, Mapping):
        return arguments
    return {parameters.get(name, name): value for name, value in arguments.items()}
