"""Arguments handed to plugins: each gets its own, so that what policy saw is what is executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from toolsearch_hookspecs import ToolCall


@overload
def own_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]: ...
@overload
def own_arguments(arguments: None) -> None: ...
@overload
def own_arguments(arguments: Mapping[str, Any] | None) -> dict[str, Any] | None: ...
def own_arguments(arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A copy down to the last object and list; values that JSON has no place for are shared.

    Without recursion, and each container once: how deep they go is up to a model, and whether
    they contain themselves to a program.
    """
    if arguments is None:
        return None
    copied = dict(arguments)
    copies: dict[int, Any] = {id(arguments): copied}
    unvisited: list[Any] = [copied]
    while unvisited:
        container = unvisited.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in tuple(items):
            if not isinstance(value, dict | list):
                continue
            if id(value) not in copies:
                copies[id(value)] = value.copy()
                unvisited.append(copies[id(value)])
            container[key] = copies[id(value)]
    return copied


def own_call(call: ToolCall, arguments: Mapping[str, Any] | None = None) -> ToolCall:
    """The call with arguments of its own: the given ones, or its present ones."""
    given = call.arguments if arguments is None else arguments
    return call.model_copy(update={"arguments": own_arguments(given)})
