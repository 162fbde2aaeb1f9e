"""The Responses API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import ModelCall, RunApi

from ._errors import ApiError, bad_request, upstream_error
from ._form import Answered, Kept, OwnResult, Sink
from ._responses_items import (
    OUTPUTS,
    REASONING,
    Item,
    calls_of,
    ids_of,
    is_call,
    items_of,
    output_item,
    shown,
    text_of,
    with_own_ids,
)
from ._responses_stream import ResponseStream, ResponseStreaming
from ._tools import Declared, HandedBack, OwnTools, declared
from ._usage import added

PATH = "responses"
_OURS = frozenset({"input", "instructions", "tools", "tool_choice", "parallel_tool_calls"})
_ECHOED = ("instructions", "tools", "tool_choice", "previous_response_id")


class ResponsesConversation:
    """A request for a response: `items` grows by the hidden turns.

    `aliases` tells which response of the provider an id means that an app was streamed: a stream
    says its id before it is known how many turns it takes.
    """

    path = PATH

    def __init__(self, body: Mapping[str, Any], aliases: dict[str, str]) -> None:
        """Raises ApiError for what the gateway cannot take on."""
        items = items_of(body.get("input"))
        if items is None:
            raise bad_request("input must be a string or an array of objects", param="input")
        if body.get("background"):
            raise bad_request("background is not served here", param="background")
        self.own = OwnTools.of(body.get("tools"))
        self.items = items
        self._body = body
        self._aliases = aliases
        self._begins = len(items)
        self._sent = 0
        self._anchors: frozenset[str] = frozenset()
        self._turns = 0
        self._turn: Sequence[Item] = ()
        self._last_outputs: tuple[Item, ...] = ()
        self._answer: Mapping[str, Any] = {}
        self._visible: list[Item] = []
        self.usage: Mapping[str, Any] | None = None
        self._stream = ResponseStream(self._as_asked)

    def declared(self, run: RunApi) -> Declared:
        return declared(run, self.own, "openai-responses")

    def request(self, declared: Declared, *, last: bool) -> Mapping[str, Any]:
        body = {name: value for name, value in self._body.items() if name not in _OURS}
        previous = body.get("previous_response_id")
        if isinstance(previous, str):
            body["previous_response_id"] = self._aliases.get(previous, previous)
        # A conversation at the provider holds what it was sent already.
        new = self.items[self._sent :] if body.get("conversation") else self.items
        self._sent = len(self.items)
        body["input"] = [with_own_ids(item) for item in new]
        said = (self._body.get("instructions"), declared.prompt)
        instructions = [each for each in said if isinstance(each, str) and each]
        more: dict[str, Any] = {"instructions": "\n\n".join(instructions) or None}
        if declared.tools:
            more["tools"] = list(declared.tools)
            more["tool_choice"] = "none" if last else self._choice()
            more["parallel_tool_calls"] = self._body.get("parallel_tool_calls")
        return body | {name: value for name, value in more.items() if value is not None}

    def take(self, answer: Mapping[str, Any]) -> Sequence[ModelCall]:
        output = answer.get("output")
        if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
            raise upstream_error(502, "the provider sent no output", "upstream_malformed")
        if answer.get("status") == "failed":
            raise failed(answer)
        self._took(answer, output)
        return () if answer.get("status") == "incomplete" else calls_of(output)

    def streaming(self, sink: Sink) -> ResponseStreaming:
        return ResponseStreaming(self._stream, sink, self.take)

    def go_on(self, answered: Sequence[Answered]) -> None:
        customs = {item["call_id"] for item in self._turn if item.get("type") == "custom_tool_call"}
        self._last_outputs = tuple(
            output_item(each.call, each.call.id in customs, each.text, each.found)
            for each in answered
        )
        stored = self._body.get("store") is not False
        self.items += [
            item
            for item in self._turn
            if stored or item.get("type") != REASONING or item.get("encrypted_content")
        ]
        self._sent = len(self.items)
        self.items += self._last_outputs

    def answer(self, handed: Sequence[HandedBack]) -> Mapping[str, Any]:
        self._visible += shown(self._turn, {call.model_id: call for call in handed})
        return self._finished(self._answer)

    async def end(self, sink: Sink, handed: Sequence[HandedBack]) -> None:
        await self._stream.hand_over(sink, {call.model_id: call for call in handed})
        self._visible = self._stream.items
        first, last = self._stream.id, self._answer.get("id")
        if first is not None and isinstance(last, str) and first != last:
            self._remember(first, last)
        response = {**self._finished(self._answer), "id": first or last}
        status = "incomplete" if response.get("status") == "incomplete" else "completed"
        await self._stream.send(sink, f"response.{status}", {"response": response})

    async def fail(self, sink: Sink, error: Mapping[str, Any]) -> None:
        about = {name: error.get(name) for name in ("code", "message", "param")}
        await self._stream.send(sink, "error", about)

    def own_results(self) -> Sequence[OwnResult]:
        return [
            OwnResult(item["call_id"], text_of(item.get("output")))
            for item in self.items
            if item.get("type") in OUTPUTS and isinstance(item.get("call_id"), str)
        ]

    def resume(self, kept: Kept, results: Sequence[OwnResult]) -> None:
        by_id = {result.id: result for result in results}
        told = [
            place
            for place, item in enumerate(self.items)
            if item.get("type") in OUTPUTS and item.get("call_id") in by_id
        ]
        outputs = [_delivered(self.items[place], by_id) for place in told]
        known = [n for n, item in enumerate(self.items) if ids_of([item]) & kept.anchors]
        chained = all(place in told for place in known)
        # A request that goes on from a stored response brings the results alone.
        begin = told[0] if chained else known[0]
        self.items[begin : told[-1] + 1] = [*(kept.last if chained else kept.items), *outputs]
        self._begins, self._anchors = begin, kept.anchors

    def keep(self, handed: Sequence[HandedBack]) -> Kept:
        anchors = self._anchors | ids_of(self._visible) | {call.id for call in handed}
        anchors |= ids_of(item for item in self._turn if not is_call(item))
        return Kept(tuple(self.items[self._begins :]), anchors, self._last_outputs)

    def _took(self, answer: Mapping[str, Any], output: Sequence[Item]) -> None:
        if self._turns:
            self._visible += shown(self._turn, {})
        self._turns += 1
        self._answer, self._turn = answer, output
        self.usage = added(self.usage, answer.get("usage"))

    def _finished(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        whole = {**self._as_asked(answer), "output": list(self._visible)}
        return whole if self.usage is None else {**whole, "usage": self.usage}

    def _as_asked(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """A response that repeats what the app asked, not what was made of it."""
        asked = {name: self._body.get(name) for name in _ECHOED if name in answer}
        if "tools" in asked:
            asked["tools"] = self._body.get("tools") or []
        if "tool_choice" in asked:
            asked["tool_choice"] = self._body.get("tool_choice") or "auto"
        return {**answer, **asked}

    def _choice(self) -> Any:
        """What the app demands to be called: of all tools in the first turn, then `required`
        until one of its own is called.
        """
        choice = self._body.get("tool_choice")
        once = isinstance(choice, Mapping) and choice.get("type") != "allowed_tools"
        once = once or (choice == "required" and not self.own.tools)
        return "auto" if once and self._turns else choice

    def _remember(self, first: str, last: str) -> None:
        self._aliases[first] = last
        while len(self._aliases) > MOST_ALIASES:
            del self._aliases[next(iter(self._aliases))]


MOST_ALIASES = 10_000


def failed(answer: Mapping[str, Any]) -> ApiError:
    """A response that the provider itself calls failed."""
    error = answer.get("error")
    said = error if isinstance(error, Mapping) else {}
    message = str(said.get("message") or "the provider's response failed")
    body = {"error": {"type": "upstream_error", "param": None, "code": None, **said}}
    return ApiError(502, message, body=body)


def last_words(body: Mapping[str, Any]) -> str | None:
    """The text of the user's last message."""
    for item in reversed(items_of(body.get("input")) or []):
        if item.get("role") == "user":
            return text_of(item.get("content"))
    return None


def _delivered(item: Item, by_id: Mapping[str, OwnResult]) -> Item:
    """The app's item; its output replaced where the host made something else of the text."""
    result = by_id[item["call_id"]]
    return item if text_of(item.get("output")) == result.text else {**item, "output": result.text}
