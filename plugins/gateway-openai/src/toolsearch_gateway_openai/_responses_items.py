"""Items of the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import ModelCall

from ._errors import upstream_error
from ._ids import model_id
from ._sse import compact_json
from ._tools import TOOL_SEARCH, HandedBack

Item = Mapping[str, Any]

SEARCH = "tool_search_call"
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
REASONING = "reasoning"
_CALLS = frozenset({"function_call", "custom_tool_call"})


def items_of(given: Any) -> list[Item] | None:
    """The items of an `input`; None where it is none."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if isinstance(given, list) and all(isinstance(item, Mapping) for item in given):
        return list(given)
    return None


def is_call(item: Item) -> bool:
    """Whether somebody but the provider has to answer it. Its own tool search is answered by the
    provider, unless the gateway was to execute it.
    """
    kind = item.get("type")
    if kind == SEARCH:
        return item.get("execution") == "client"
    return kind in _CALLS


def calls_of(items: Iterable[Item]) -> list[ModelCall]:
    """The calls among the items of an answer. Raises ApiError for a broken one."""
    calls = []
    for item in items:
        match item:
            case {"type": "function_call", "call_id": str(id), "name": str(name)}:
                arguments = item.get("arguments", "")
                calls.append(ModelCall(id=id, name=name, arguments=arguments))
            case {"type": "custom_tool_call", "call_id": str(id), "name": str(name)}:
                given = {"input": item.get("input", "")}
                calls.append(ModelCall(id=id, name=name, arguments=given))
            case {"type": kind} if kind == SEARCH and is_call(item):
                id, arguments = str(item.get("call_id") or ""), item.get("arguments")
                calls.append(ModelCall(id=id, name=TOOL_SEARCH, arguments=arguments, search=True))
            case _ if is_call(item):
                raise upstream_error(502, "the provider sent a broken call", "upstream_malformed")
    return calls


def output_item(call: ModelCall, custom: bool, text: str, found: Sequence[Item]) -> Item:
    """The item that answers a call; a search is answered with the tools that it found."""
    if call.search:
        about = {"type": "tool_search_output", "call_id": call.id or None, "execution": "client"}
        return {**about, "status": "completed", "tools": list(found)}
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return {"type": kind, "call_id": call.id, "output": text}


def shown(items: Sequence[Item], handed: Mapping[str, HandedBack]) -> list[Item]:
    """What the app sees of one turn: without hidden calls, and without the thoughts that led to
    them, which the API takes back only together with what they led to.
    """
    out: list[Item] = []
    thoughts: list[Item] = []
    hides = False
    for item in items:
        match item.get("type"):
            case kind if kind == REASONING:
                thoughts.append(item)
                continue
            case _ if is_call(item):
                call = handed.get(str(item.get("call_id")))
                hides = hides or call is None
                if call is not None:
                    out += [*thoughts, handed_item(item, call)]
            case _:
                out += [*thoughts, item]
        thoughts = []
    return out if hides else [*out, *thoughts]


def handed_item(item: Item, call: HandedBack) -> Item:
    """A call as the app is given it."""
    said = "input" if call.custom else "arguments"
    return {**item, "call_id": call.id, "name": call.name, said: call.arguments}


def with_own_ids(item: Item) -> Item:
    """An item with the provider's own id of its call."""
    id = item.get("call_id")
    return {**item, "call_id": model_id(id)} if isinstance(id, str) else item


def text_of(output: Any) -> str:
    """The text of a message or of a call's output."""
    match output:
        case str():
            return output
        case list():
            parts = (part for part in output if isinstance(part, Mapping))
            return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
        case None:
            return ""
        case _:
            return compact_json(output)


def ids_of(items: Iterable[Item]) -> frozenset[str]:
    """What items are known by: their ids, and the ids of their calls."""
    named = (item.get(name) for item in items for name in ("id", "call_id"))
    return frozenset(name for name in named if isinstance(name, str))
