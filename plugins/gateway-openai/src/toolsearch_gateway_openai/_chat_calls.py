"""Tool calls in the form of chat completions."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from toolsearch_hookspecs import ModelCall

from ._errors import upstream_error
from ._tools import HandedBack

CUT_SHORT = frozenset({"length", "content_filter"})
"""Reasons for which an answer ended too early: its calls may be half ones."""


def calls_of(message: Mapping[str, Any]) -> list[ModelCall]:
    """The tool calls of an assistant's message."""
    calls = []
    for entry in message.get("tool_calls") or ():
        match entry:
            case {"id": str(id), "function": {"name": str(name), **function}}:
                calls.append(ModelCall(id=id, name=name, arguments=function.get("arguments", "")))
            case {"id": str(id), "custom": {"name": str(name), **custom}}:
                given = {"input": custom.get("input", "")}
                calls.append(ModelCall(id=id, name=name, arguments=given))
            case _:
                raise upstream_error(502, "the provider sent a broken call", "upstream_malformed")
    return calls


def call_entry(call: HandedBack) -> Mapping[str, Any]:
    """A call as the app is given it."""
    if call.custom:
        about = {"name": call.name, "input": call.arguments}
        return {"id": call.id, "type": "custom", "custom": about}
    about = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": about}


def identified(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message, with an id for each call that the provider gave none."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    named = [call if call.get("id") else {**call, "id": f"call_{token_hex(8)}"} for call in calls]
    return {**message, "tool_calls": named}
