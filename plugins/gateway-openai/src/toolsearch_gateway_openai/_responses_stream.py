"""Streamed responses: many turns of the provider become one stream of the app."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import ModelCall

from ._errors import ApiError, upstream_error
from ._form import Sink
from ._responses_items import REASONING, Item, handed_item, is_call
from ._sse import DONE, ServerEvent
from ._tools import HandedBack

_BEGIN = frozenset({"response.created", "response.in_progress", "response.queued"})
_END = frozenset({"response.completed", "response.incomplete", "response.failed"})

Event = dict[str, Any]


@attrs.define
class ResponseStream:
    """What the whole stream has in common: its id, its numbers, and the items that were shown.

    `thoughts` are events of reasoning whose end is not known yet: they are shown with what they
    lead to, or not at all.
    """

    as_asked: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    id: str | None = None
    number: int = 0
    begun: bool = False
    items: list[Item] = attrs.field(factory=list)
    thoughts: list[list[Event]] = attrs.field(factory=list)
    held: list[tuple[Item, list[list[Event]]]] = attrs.field(factory=list)

    async def send(self, sink: Sink, name: str, event: Mapping[str, Any]) -> None:
        numbered = {**event, "type": name, "sequence_number": self.number}
        self.number += 1
        await sink(numbered, name)

    async def begin(self, sink: Sink, name: str, response: Mapping[str, Any]) -> None:
        """The first events of the first turn."""
        self.id = self.id or response.get("id")
        await self.send(sink, name, {"response": self.as_asked(response)})

    async def show_thoughts(self, sink: Sink, thoughts: Sequence[Sequence[Event]]) -> None:
        """Events of reasoning that were held back, each list those of one item."""
        for events in thoughts:
            place = len(self.items)
            self.items.append(events[-1].get("item", {}))
            for event in events:
                await self.send(sink, event["type"], {**event, "output_index": place})

    async def hand_over(self, sink: Sink, handed: Mapping[str, HandedBack]) -> None:
        """The calls of the last turn that the app is to perform, and trailing thoughts."""
        for item, thoughts in self.held:
            call = handed.get(str(item.get("call_id")))
            if call is not None:
                await self.show_thoughts(sink, thoughts)
                await self._show_call(sink, handed_item(item, call), call)
        if len(handed) == len(self.held):
            await self.show_thoughts(sink, self.thoughts)

    async def _show_call(self, sink: Sink, item: Item, call: HandedBack) -> None:
        place = len(self.items)
        self.items.append(item)
        said, kind = (
            ("input", "custom_tool_call_input")
            if call.custom
            else ("arguments", "function_call_arguments")
        )
        at = {"output_index": place, "item_id": item.get("id")}
        opened = {**item, said: "", "status": "in_progress"}
        await self.send(sink, "response.output_item.added", {"output_index": place, "item": opened})
        await self.send(sink, f"response.{kind}.delta", {**at, "delta": call.arguments})
        done = {**at, said: call.arguments}
        if not call.custom:
            done["name"] = call.name
        await self.send(sink, f"response.{kind}.done", done)
        await self.send(sink, "response.output_item.done", {"output_index": place, "item": item})


@attrs.define
class ResponseStreaming:
    """One turn: what the app may see is passed on as it comes."""

    stream: ResponseStream
    sink: Sink
    took: Callable[[Mapping[str, Any]], Sequence[ModelCall]]
    _places: dict[int, int] = attrs.field(factory=dict, init=False)
    _hidden: set[int] = attrs.field(factory=set, init=False)
    _thoughts: dict[int, list[Event]] = attrs.field(factory=dict, init=False)
    _done: dict[int, Item] = attrs.field(factory=dict, init=False)
    _response: Mapping[str, Any] | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.stream.thoughts, self.stream.held = [], []

    async def take(self, event: ServerEvent) -> None:
        if event.data == DONE:
            return
        await self._take(*_read(event))

    def calls(self) -> Sequence[ModelCall]:
        response = self._response
        if response is None:
            raise upstream_error(502, "the provider's stream ended half-way", "upstream_broken")
        if not response.get("output"):
            response = {**response, "output": [self._done[at] for at in sorted(self._done)]}
        self.stream.begun = True
        return self.took(response)

    async def _take(self, name: str, data: Event) -> None:
        place = data.get("output_index")
        if name in _BEGIN:
            if not self.stream.begun:
                await self.stream.begin(self.sink, name, data.get("response") or {})
        elif name in _END:
            self._response = data.get("response") or {}
        elif not isinstance(place, int):
            await self.stream.send(self.sink, name, data)
        else:
            if name == "response.output_item.added":
                await self._added(place, data["item"])
            if name == "response.output_item.done":
                self._done[place] = data["item"]
            await self._item_event(name, place, data)

    async def _added(self, place: int, item: Item) -> None:
        kind = item.get("type")
        if is_call(item):
            self._hidden.add(place)
        elif kind == REASONING:
            self._thoughts[place] = []
        else:
            await self.stream.show_thoughts(self.sink, self._loose_thoughts())
            self._places[place] = len(self.stream.items)
            self.stream.items.append(item)

    async def _item_event(self, name: str, place: int, data: Event) -> None:
        ended = name == "response.output_item.done"
        if place in self._hidden:
            if ended:
                self.stream.held.append((data["item"], self._loose_thoughts()))
        elif place in self._thoughts:
            self._thoughts[place].append(data)
            if ended:
                self.stream.thoughts.append(self._thoughts[place])
        elif place in self._places:
            shown = self._places[place]
            if ended:
                self.stream.items[shown] = data["item"]
            await self.stream.send(self.sink, name, {**data, "output_index": shown})

    def _loose_thoughts(self) -> list[list[Event]]:
        """The reasoning that led to what comes now."""
        thoughts, self.stream.thoughts = self.stream.thoughts, []
        return thoughts


def _read(event: ServerEvent) -> tuple[str, Event]:
    """An event with its name. Raises ApiError where it tells of an error, or is broken."""
    try:
        data = json.loads(event.data)
    except ValueError as error:
        raise upstream_error(502, "the provider sent no JSON", "upstream_malformed") from error
    match data:
        case {"type": "error"} | {"error": dict()}:
            said = data.get("error", data)
            about = {name: said.get(name) for name in ("message", "code", "param")}
            body = {"error": {"type": "upstream_error", **about}}
            raise ApiError(502, "the provider's stream failed", body=body)
        case {"type": str(name)}:
            return name, data
        case _:
            raise upstream_error(502, "the provider sent no event", "upstream_malformed")
