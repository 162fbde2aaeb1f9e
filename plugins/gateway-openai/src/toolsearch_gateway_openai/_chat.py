"""Chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import ModelCall, RunApi

from ._chat_calls import CUT_SHORT, call_entry, calls_of, identified
from ._chat_stream import ChatStream, ChatStreaming
from ._errors import bad_request, upstream_error
from ._form import SEPARATOR, Answered, Kept, OwnResult, Sink
from ._ids import model_id
from ._sse import compact_json
from ._tools import Declared, HandedBack, OwnTools, declared
from ._usage import added

PATH = "chat/completions"
_OURS = frozenset({"messages", "tools", "tool_choice", "parallel_tool_calls"})


class ChatConversation:
    """A request for a chat completion: `messages` grows by the hidden turns."""

    path = PATH

    def __init__(self, body: Mapping[str, Any]) -> None:
        """Raises ApiError for what the gateway cannot take on."""
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
            raise bad_request("messages must be an array of objects", param="messages")
        if body.get("n") not in {None, 1}:
            raise bad_request("n must be 1: tools are called for one answer", param="n")
        for name in ("functions", "function_call"):
            if name in body:
                raise bad_request(f"{name} is not taken; use tools", param=name)
        self.own = OwnTools.of(body.get("tools"))
        self.messages: list[Mapping[str, Any]] = list(messages)
        self._body = body
        self._begins = len(messages)
        self._anchors: frozenset[str] = frozenset()
        self._message: Mapping[str, Any] = {}
        self._answer: Mapping[str, Any] = {}
        self._said: list[str] = []
        self.usage: Mapping[str, Any] | None = None
        self._stream = ChatStream(wants_usage=_wants_usage(body))

    def declared(self, run: RunApi) -> Declared:
        return declared(run, self.own, "openai-chat")

    def request(self, declared: Declared, *, last: bool) -> Mapping[str, Any]:
        body = {name: value for name, value in self._body.items() if name not in _OURS}
        body["messages"] = _with_prompt(_known_ids(self.messages), declared.prompt)
        if declared.tools:
            body["tools"] = list(declared.tools)
            choice = "none" if last else self._choice()
            more = {"tool_choice": choice, "parallel_tool_calls": self._parallel()}
            body |= {name: value for name, value in more.items() if value is not None}
        return body

    def take(self, answer: Mapping[str, Any]) -> Sequence[ModelCall]:
        match answer.get("choices"):
            case [{"message": dict() as message, **choice}, *_]:
                pass
            case _:
                raise upstream_error(502, "the provider sent no choice", "upstream_malformed")
        self._answer = answer
        return self._took(message, answer.get("usage"), choice.get("finish_reason"))

    def streaming(self, sink: Sink) -> ChatStreaming:
        return ChatStreaming(self._stream, sink, self._took)

    def go_on(self, answered: Sequence[Answered]) -> None:
        self.messages.append(self._message)
        self.messages += [
            {"role": "tool", "tool_call_id": each.call.id, "content": each.text}
            for each in answered
        ]

    def answer(self, handed: Sequence[HandedBack]) -> Mapping[str, Any]:
        first, *others = self._answer["choices"]
        message = {name: value for name, value in first["message"].items() if name != "tool_calls"}
        if self._said:
            message["content"] = SEPARATOR.join(self._said)
        reason = first.get("finish_reason")
        if handed:
            message["tool_calls"] = [call_entry(call) for call in handed]
            reason = "tool_calls"
        elif reason == "tool_calls":
            reason = "stop"
        answer = {
            **self._answer,
            "choices": [{**first, "message": message, "finish_reason": reason}, *others],
        }
        return answer if self.usage is None else {**answer, "usage": self.usage}

    async def end(self, sink: Sink, handed: Sequence[HandedBack]) -> None:
        await self._stream.end(sink, [call_entry(call) for call in handed], self.usage)

    async def fail(self, sink: Sink, error: Mapping[str, Any]) -> None:
        await sink({"error": error})

    def own_results(self) -> Sequence[OwnResult]:
        return [
            OwnResult(message["tool_call_id"], _text_of(message.get("content")))
            for message in self.messages
            if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str)
        ]

    def resume(self, kept: Kept, results: Sequence[OwnResult]) -> None:
        by_id = {result.id: result for result in results}
        begin = next(
            place for place, message in enumerate(self.messages) if _ids(message) & kept.anchors
        )
        told = [message for message in self.messages if message.get("tool_call_id") in by_id]
        end = self.messages.index(told[-1]) + 1
        answers = [_delivered(message, by_id[message["tool_call_id"]]) for message in told]
        self.messages[begin:end] = [*kept.items, *answers]
        self._begins, self._anchors = begin, kept.anchors

    def keep(self, handed: Sequence[HandedBack]) -> Kept:
        anchors = self._anchors or frozenset(call.id for call in handed)
        return Kept(tuple(self.messages[self._begins :]), anchors)

    def _took(self, message: Mapping[str, Any], usage: Any, reason: Any) -> Sequence[ModelCall]:
        self._message = message = identified(message)
        self.usage = added(self.usage, usage)
        content = message.get("content")
        if isinstance(content, str) and content:
            self._said.append(content)
        return () if reason in CUT_SHORT else calls_of(message)

    def _choice(self) -> Any:
        """What the app demands to be called: of all tools in the first turn, then `required`
        until one of its own is called.
        """
        choice = self._body.get("tool_choice")
        once = isinstance(choice, Mapping) and choice.get("type") != "allowed_tools"
        once = once or (choice == "required" and not self.own.tools)
        return "auto" if once and self._message else choice

    def _parallel(self) -> Any:
        return self._body.get("parallel_tool_calls")


def last_words(body: Mapping[str, Any]) -> str | None:
    """The text of the user's last message."""
    for message in reversed(body.get("messages") or []):
        if isinstance(message, Mapping) and message.get("role") == "user":
            return _text_of(message.get("content"))
    return None


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, Mapping) and bool(options.get("include_usage"))


def _with_prompt(messages: list[Mapping[str, Any]], prompt: str | None) -> list[Mapping[str, Any]]:
    """The messages, the addition to the prompt behind the instructions that lead them."""
    if prompt is None:
        return messages
    place = next(
        (n for n, each in enumerate(messages) if each.get("role") not in {"system", "developer"}),
        len(messages),
    )
    role = messages[0].get("role", "system") if place else "system"
    return [*messages[:place], {"role": role, "content": prompt}, *messages[place:]]


def _known_ids(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages with the provider's own ids of calls."""
    return [_with_own_ids(message) for message in messages]


def _with_own_ids(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(message.get("tool_call_id"), str):
        return {**message, "tool_call_id": model_id(message["tool_call_id"])}
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return message
    return {
        **message,
        "tool_calls": [
            {**call, "id": model_id(call["id"])}
            if isinstance(call, Mapping) and isinstance(call.get("id"), str)
            else call
            for call in calls
        ],
    }


def _ids(message: Mapping[str, Any]) -> set[str]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return set()
    return {str(call.get("id")) for call in calls if isinstance(call, Mapping)}


def _text_of(content: Any) -> str:
    """The text of a message; images and the like have none."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(part["text"] for part in content if _is_text(part))
        case None:
            return ""
        case _:
            return compact_json(content)


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def _delivered(message: Mapping[str, Any], result: OwnResult) -> Mapping[str, Any]:
    """The app's message; its content replaced where the host made something else of the text."""
    same = _text_of(message.get("content")) == result.text
    return message if same else {**message, "content": result.text}
