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
    """A copy down to the last object and list; values that JSON has no place for are shared."""
    return None if arguments is None else {key: _copy(value) for key, value in arguments.items()}


def own_call(call: ToolCall, arguments: Mapping[str, Any] | None = None) -> ToolCall:
    """The call with arguments of its own: the given ones, or its present ones."""
    given = call.arguments if arguments is None else arguments
    return call.model_copy(update={"arguments": own_arguments(given)})


def _copy(value: Any) -> Any:
    match value:
        case dict():
            return {key: _copy(inner) for key, inner in value.items()}
        case list():
            return [_copy(inner) for inner in value]
        case _:
            return value
