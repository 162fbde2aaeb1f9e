"""Streamed chat completions: many turns of the provider become one stream of the app."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import ModelCall

from ._errors import ApiError, upstream_error
from ._form import SEPARATOR, Sink
from ._sse import DONE, ServerEvent

_HEAD = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


@attrs.define
class ChatStream:
    """What the whole stream has in common: the first chunk's head, and what was sent."""

    wants_usage: bool
    head: Mapping[str, Any] | None = None
    begun: bool = False
    spoken: bool = False
    reason: str | None = None

    async def send(self, sink: Sink, delta: Mapping[str, Any], **more: Any) -> None:
        """One chunk of the one choice."""
        shown = dict(delta)
        if not self.begun:
            shown = {"role": "assistant", **shown}
            self.begun = True
        choice = {"index": 0, "delta": shown, "finish_reason": None, **more}
        await sink({**(self.head or {}), "choices": [choice]})

    async def end(
        self, sink: Sink, calls: Sequence[Mapping[str, Any]], usage: Mapping[str, Any] | None
    ) -> None:
        for index, call in enumerate(calls):
            await self.send(sink, {"tool_calls": [{"index": index, **call}]})
        reason = "tool_calls" if calls else self.reason
        await self.send(
            sink, {}, finish_reason="stop" if not calls and reason == "tool_calls" else reason
        )
        if self.wants_usage:
            await sink({**(self.head or {}), "choices": [], "usage": usage})
        await sink(DONE)


@attrs.define
class ChatStreaming:
    """One turn: text is passed on as it comes, calls are put together."""

    stream: ChatStream
    sink: Sink
    took: Callable[[Mapping[str, Any], Any, Any], Sequence[ModelCall]]
    _said: dict[str, list[Any]] = attrs.field(factory=dict, init=False)
    _calls: list[PartialCall] = attrs.field(factory=list, init=False)
    _open: dict[Any, PartialCall] = attrs.field(factory=dict, init=False)
    _reason: str | None = attrs.field(default=None, init=False)
    _usage: Any = attrs.field(default=None, init=False)
    _ended: bool = attrs.field(default=False, init=False)

    async def take(self, event: ServerEvent) -> None:
        if event.data == DONE:
            self._ended = True
            return
        chunk = _chunk(event.data)
        if self.stream.head is None:
            self.stream.head = {name: chunk[name] for name in _HEAD if name in chunk}
        if chunk.get("usage") is not None:
            self._usage = chunk["usage"]
        match chunk.get("choices"):
            case [dict() as choice, *_]:
                await self._choice(choice)
            case _:
                pass

    def calls(self) -> Sequence[ModelCall]:
        if not self._ended and self._reason is None:
            raise upstream_error(502, "the provider's stream ended half-way", "upstream_broken")
        said = {name: _joined(pieces) for name, pieces in self._said.items()}
        message = {"role": "assistant", "content": None, **said}
        if self._calls:
            message["tool_calls"] = [call.whole for call in self._calls]
        self.stream.reason = self._reason
        return self.took(message, self._usage, self._reason)

    async def _choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            delta = {}
        for entry in delta.get("tool_calls") or ():
            self._call(entry)
        shown = {
            name: value
            for name, value in delta.items()
            if name not in {"tool_calls", "role"} and value not in (None, "", [])
        }
        for name, value in shown.items():
            self._said.setdefault(name, []).append(value)
        if shown:
            await self._pass_on(shown, choice)
        self._reason = choice.get("finish_reason") or self._reason

    async def _pass_on(self, shown: dict[str, Any], choice: Mapping[str, Any]) -> None:
        if "content" in shown:
            if len(self._said["content"]) == 1 and self.stream.spoken:
                shown = {**shown, "content": SEPARATOR + shown["content"]}
            self.stream.spoken = True
        more = {"logprobs": choice["logprobs"]} if choice.get("logprobs") else {}
        await self.stream.send(self.sink, shown, **more)

    def _call(self, entry: Any) -> None:
        """Put a piece to its call. Some providers number every call 0: another id is another."""
        if not isinstance(entry, Mapping):
            return
        index, id = entry.get("index"), entry.get("id")
        call = self._open.get(index)
        if call is None or (id and call.id and id != call.id):
            call = self._open[index] = PartialCall()
            self._calls.append(call)
        call.take(entry)


@attrs.define
class PartialCall:
    """A call that comes in pieces: id and name once, arguments bit by bit."""

    id: str = ""
    name: str = ""
    kind: str = "function"
    pieces: list[str] = attrs.field(factory=list)

    def take(self, entry: Mapping[str, Any]) -> None:
        self.id = entry.get("id") or self.id
        for kind, said in _KINDS.items():
            given = entry.get(kind)
            if isinstance(given, Mapping):
                self.kind = kind
                self.name = given.get("name") or self.name
                self.pieces.append(given.get(said) or "")

    @property
    def whole(self) -> Mapping[str, Any]:
        about = {"name": self.name, _KINDS[self.kind]: "".join(self.pieces)}
        return {"id": self.id, "type": self.kind, self.kind: about}


_KINDS = {"function": "arguments", "custom": "input"}
"""Kinds of calls, and what their arguments are called."""


def _joined(pieces: list[Any]) -> Any:
    """Text and lists come in pieces; of anything else the latest counts."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    if all(isinstance(piece, list) for piece in pieces):
        return [each for piece in pieces for each in piece]
    return pieces[-1]


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise upstream_error(502, "the provider sent no JSON", "upstream_malformed") from error
    match chunk:
        case {"error": error}:
            body = {"error": error if isinstance(error, Mapping) else {"message": str(error)}}
            raise ApiError(502, "the provider's stream failed", type="upstream_error", body=body)
        case dict():
            return chunk
        case _:
            raise upstream_error(502, "the provider sent no object", "upstream_malformed")
