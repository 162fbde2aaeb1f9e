"""Both APIs from the provider's side: reading requests, writing answers whole and as events."""

from __future__ import annotations

import itertools
import json
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._script import Break, Call, Find, Free, Say, Seen, Told

Answer = Say | Call | Break
Named = tuple[str, Mapping[str, Any]]
"""An event with its name; the chat form has none."""

PIECE = 12  # characters of one delta, and more where that would be too many
MOST_PIECES = 2_000


def seen_in_chat(body: Mapping[str, Any]) -> Seen:
    """What a request for a chat completion shows."""
    instructions: list[str] = []
    user, told = "", list[Told]()
    calls: dict[str, Any] = {}
    for message in body["messages"]:
        text = _text(message.get("content"))
        match message.get("role"):
            case "system" | "developer":
                instructions.append(text)
            case "user":
                user, told = text, []
            case "assistant":
                calls = {call["id"]: call for call in message.get("tool_calls") or ()}
            case "tool":
                call = calls[message["tool_call_id"]]
                told.append(_told(call.get("function") or call["custom"], text))
    functions = [tool["function"] for tool in body.get("tools") or () if tool["type"] == "function"]
    return _seen(body, "\n".join(instructions), user, functions, told)


def items_in(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items that a request for a response brings."""
    given = body["input"]
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)


def seen_in_responses(body: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Seen:
    """What a request for a response shows, with all that was stored before it."""
    instructions = [body.get("instructions") or ""]
    user, told = "", list[Told]()
    calls: dict[str, Any] = {}
    for item in items:
        match item:
            case {"type": "function_call" | "custom_tool_call" | "tool_search_call", "call_id": id}:
                calls[id] = item
            case {"type": "tool_search_output", "call_id": id, "tools": found}:
                text = json.dumps([tool["name"] for tool in found])
                told.append(Told("tool_search", calls[id]["arguments"], text))
            case {"call_id": id, "output": output}:
                told.append(_told(calls[id], _text(output)))
            case {"role": "user", "content": content}:
                user, told = _text(content), []
            case {"role": "system" | "developer", "content": content}:
                instructions.append(_text(content))
    functions = [tool for tool in body.get("tools") or () if tool["type"] == "function"]
    return _seen(body, "\n".join(instructions), user, functions, told)


def _told(call: Mapping[str, Any], text: str) -> Told:
    return Told(call["name"], _loads(call.get("arguments", call.get("input"))), text)


def unanswered(calls: Iterable[str], outputs: Iterable[str]) -> str | None:
    """What a provider says of calls without results, and of results without calls."""
    made, given = set(calls), set(outputs)
    if made == given:
        return None
    return f"calls without results: {sorted(made - given)}; the reverse: {sorted(given - made)}"


def unanswered_in_chat(body: Mapping[str, Any]) -> str | None:
    messages = body["messages"]
    calls = (call["id"] for m in messages for call in m.get("tool_calls") or ())
    return unanswered(calls, (m["tool_call_id"] for m in messages if m.get("role") == "tool"))


def unanswered_in_items(items: Sequence[Mapping[str, Any]]) -> str | None:
    with_id = [item for item in items if "call_id" in item]
    outputs = [item["call_id"] for item in with_id if item["type"].endswith("_output")]
    return unanswered(
        (item["call_id"] for item in with_id if not item["type"].endswith("_output")), outputs
    )


def _seen(
    body: Mapping[str, Any],
    instructions: str,
    user: str,
    functions: Sequence[Mapping[str, Any]],
    told: Sequence[Told],
) -> Seen:
    return Seen(
        model=str(body.get("model", "")),
        instructions=instructions,
        user=user,
        tools={tool["name"]: tool.get("parameters") for tool in functions},
        about={tool["name"]: tool.get("description", "") for tool in functions},
        told=tuple(told),
        may_call=body.get("tool_choice") != "none",
    )


def chat_answer(body: Mapping[str, Any], step: Answer, size: int) -> Mapping[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    reason = "stop"
    if isinstance(step, Call):
        message["tool_calls"] = [_chat_call(name, arguments) for name, arguments in step.calls]
        reason = "length" if step.cut_off else "tool_calls"
    return {
        **_chat_head(body, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": _chat_usage(size, step),
    }


def chat_events(body: Mapping[str, Any], whole: Mapping[str, Any], *, cut: bool) -> Iterator[Named]:
    """The chunks of an answer; with `cut` they end in the middle."""
    head = {name: whole[name] for name in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    (choice,) = whole["choices"]

    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> Named:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(choice["message"]["content"] or ""):
        yield chunk({"content": piece})
    if cut:
        return
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        kind, said = call["type"], "arguments" if call["type"] == "function" else "input"
        about = call[kind]
        yield chunk({"tool_calls": [{"index": index, **call, kind: {**about, said: ""}}]})
        for piece in _pieces(about[said]):
            yield chunk({"tool_calls": [{"index": index, kind: {said: piece}}]})
    yield chunk({}, choice["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield "", {**head, "choices": [], "usage": whole["usage"]}


def response(body: Mapping[str, Any], step: Answer, size: int) -> Mapping[str, Any]:
    items: list[Mapping[str, Any]] = [_message_item(step.text)] if step.text else []
    if isinstance(step, Call):
        items += [_call_item(name, arguments) for name, arguments in step.calls]
    cut_off = isinstance(step, Call) and step.cut_off
    return _response(body, items, "incomplete" if cut_off else "completed", _usage(size, step))


def response_events(
    body: Mapping[str, Any], whole: Mapping[str, Any], *, cut: bool
) -> Iterator[Named]:
    """The events of an answer; with `cut` they end in the middle."""
    numbers = itertools.count()

    def event(kind: str, /, **more: Any) -> Named:
        return kind, {"type": kind, "sequence_number": next(numbers), **more}

    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            part = item["content"][0]
            empty = {**part, "text": ""}
            opened = {**item, "status": "in_progress", "content": []}
            yield event("response.output_item.added", output_index=index, item=opened)
            yield event("response.content_part.added", **at, content_index=0, part=empty)
            for piece in _pieces(part["text"]):
                yield event("response.output_text.delta", **at, content_index=0, delta=piece)
            if cut:
                return
            yield event("response.output_text.done", **at, content_index=0, text=part["text"])
            yield event("response.content_part.done", **at, content_index=0, part=part)
        elif item["type"] == "tool_search_call":
            yield event("response.output_item.added", output_index=index, item=item)
        else:
            free = item["type"] == "custom_tool_call"
            said = "input" if free else "arguments"
            kind = "response.custom_tool_call_input" if free else "response.function_call_arguments"
            opened = {**item, "status": "in_progress", said: ""}
            yield event("response.output_item.added", output_index=index, item=opened)
            for piece in _pieces(item[said]):
                yield event(f"{kind}.delta", **at, delta=piece)
            done = {said: item[said]} if free else {"name": item["name"], said: item[said]}
            yield event(f"{kind}.done", **at, **done)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event(f"response.{whole['status']}", response=whole)


def _response(
    body: Mapping[str, Any],
    items: Sequence[Mapping[str, Any]],
    status: str,
    usage: Mapping[str, Any] | None,
) -> Mapping[str, Any]:
    return {
        "id": _id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": body.get("model"),
        "output": list(items),
        "usage": usage,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": body.get("metadata") or {},
        "parallel_tool_calls": True,
        "previous_response_id": body.get("previous_response_id"),
        "temperature": 1.0,
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "top_p": 1.0,
    }


def _message_item(text: str) -> Mapping[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    about = {"id": _id("msg"), "type": "message", "role": "assistant", "status": "completed"}
    return {**about, "content": [part]}


def _chat_call(name: str, arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, Free):
        custom = {"name": name, "input": arguments.text}
        return {"id": _id("call"), "type": "custom", "custom": custom}
    return {"id": _id("call"), "type": "function", "function": _function(name, arguments)}


def _call_item(name: str, arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, Find):
        find = {"id": _id("tsc"), "type": "tool_search_call", "call_id": _id("call")}
        asked = {"query": arguments.query}
        return {**find, "execution": "client", "status": "completed", "arguments": asked}
    if isinstance(arguments, Free):
        free = {"id": _id("ctc"), "type": "custom_tool_call", "call_id": _id("call")}
        return {**free, "status": "completed", "name": name, "input": arguments.text}
    about = {"id": _id("fc"), "type": "function_call", "call_id": _id("call")}
    return {**about, "status": "completed", **_function(name, arguments)}


def _chat_head(body: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    made = int(time.time())
    return {"id": _id("chatcmpl"), "object": kind, "created": made, "model": body.get("model")}


def _function(name: str, arguments: Any) -> Mapping[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"name": name, "arguments": text}


def _chat_usage(size: int, step: Answer) -> Mapping[str, Any]:
    given, made = size // 4, _made(step)
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": {"cached_tokens": 1},
    }


def _usage(size: int, step: Answer) -> Mapping[str, Any]:
    given, made = size // 4, _made(step)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 1},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + made,
    }


def _made(step: Answer) -> int:
    calls = step.calls if isinstance(step, Call) else ()
    return len(step.text) // 4 + sum(len(str(call)) // 4 for call in calls) + 1


def _pieces(text: str) -> Iterator[str]:
    size = max(PIECE, len(text) // MOST_PIECES)
    yield from (text[at : at + size] for at in range(0, len(text), size))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _loads(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(8)}"
