"""Streamed chat completions: many turns of the provider become one stream of the app."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import ModelCall

from ._chat_calls import CUT_SHORT, calls_of
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
    took: Callable[[Mapping[str, Any], Any], None]
    _message: dict[str, Any] = attrs.field(factory=dict, init=False)
    _calls: dict[int, dict[str, Any]] = attrs.field(factory=dict, init=False)
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
        message = {"role": "assistant", "content": None, **self._message}
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        self.took(message, self._usage)
        self.stream.reason = self._reason
        return () if self._reason in CUT_SHORT else calls_of(message)

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
            self._gather(name, value)
        if shown:
            await self._pass_on(shown, choice)
        self._reason = choice.get("finish_reason") or self._reason

    async def _pass_on(self, shown: dict[str, Any], choice: Mapping[str, Any]) -> None:
        if "content" in shown:
            first = self._message["content"] == shown["content"]
            if first and self.stream.spoken:
                shown = {**shown, "content": SEPARATOR + shown["content"]}
            self.stream.spoken = True
        more = {"logprobs": choice["logprobs"]} if choice.get("logprobs") else {}
        await self.stream.send(self.sink, shown, **more)

    def _gather(self, name: str, value: Any) -> None:
        known = self._message.get(name)
        if isinstance(known, str) and isinstance(value, str):
            self._message[name] = known + value
        elif isinstance(known, list) and isinstance(value, list):
            self._message[name] = [*known, *value]
        else:
            self._message[name] = value

    def _call(self, entry: Any) -> None:
        """Put a call together: id and name come once, arguments in pieces."""
        if not isinstance(entry, Mapping):
            return
        index = entry.get("index")
        call = self._calls.setdefault(index if isinstance(index, int) else len(self._calls), {})
        for name in ("id", "type"):
            if entry.get(name):
                call[name] = entry[name]
        for kind, piece in (("function", "arguments"), ("custom", "input")):
            given = entry.get(kind)
            if not isinstance(given, Mapping):
                continue
            call.setdefault("type", kind)
            about = call.setdefault(kind, {piece: ""})
            about[piece] += given.get(piece) or ""
            if given.get("name"):
                about["name"] = given["name"]


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
