"""The outer object of `tool_call`: which tool, which arguments, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ._json_text import NotJson, parsed, same
from ._problem import ArgumentProblem

_NAMES = ("id", "tool_id", "toolId", "tool", "tool_name", "toolName", "name")
_ENVELOPES = ("args", "arguments", "parameters", "params", "input")
_LAYERS = 3
_WANTED = 'Not executed. Give {"id": "...", "args": {...}}.'


class ControlCall(NamedTuple):
    """`args` is None where none stood; `extra` is all that stood beside `id` and `args`."""

    id: str
    args: Any
    extra: dict[str, Any]


def read_control_call(arguments: Any) -> ControlCall:
    """Read the arguments of `tool_call`, as models send them.

    Accepted besides `{id, args}`: JSON text, an envelope around the whole (also
    `{name: "tool_call", arguments: ...}`), and another usual word for `id`. Everything that
    might be the tool's own stays in `extra`, for `repair` to judge by the tool's schema.

    Raises `ArgumentProblem`.
    """
    outer = _object(arguments)
    for _ in range(_LAYERS):
        inner = _inside(outer)
        if inner is None:
            break
        outer = inner
    word = _name_word(outer)
    asked = outer[word].strip()
    if not asked:
        raise ArgumentProblem(f"`{word}` is empty. {_WANTED}")
    extra = {key: value for key, value in outer.items() if key not in {word, "args"}}
    return ControlCall(asked, outer.get("args"), extra)


def _object(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = parsed(arguments)
        except NotJson as error:
            raise ArgumentProblem(f"the call is not a JSON object. {_WANTED}") from error
    if not isinstance(arguments, Mapping):
        raise ArgumentProblem(f"the call is not a JSON object. {_WANTED}")
    return dict(arguments)


def _inside(outer: dict[str, Any]) -> dict[str, Any] | None:
    """What an envelope around the whole call holds; None where there is none."""
    around = {key: value for key, value in outer.items() if key != "name"}
    if outer.get("name", "tool_call") != "tool_call" or len(around) != 1:
        return None
    ((word, inner),) = around.items()
    if word not in _ENVELOPES:
        return None
    try:
        inner = _object(inner)
    except ArgumentProblem:
        return None
    return inner if any(isinstance(inner.get(name), str) for name in _NAMES) else None


def _name_word(outer: Mapping[str, Any]) -> str:
    """The key that names the tool: `id` if it is there, else the one other usual word."""
    if isinstance(outer.get("id"), str):
        return "id"
    if "id" in outer:
        raise ArgumentProblem(f"`id` is not a string. {_WANTED}")
    found = [word for word in _NAMES if isinstance(outer.get(word), str)]
    if not found:
        raise ArgumentProblem(f"the call does not say which tool. {_WANTED}")
    if not all(same(outer[found[0]], outer[word]) for word in found):
        raise ArgumentProblem(f"`{found[0]}` and `{found[1]}` name different tools. {_WANTED}")
    return found[0]
