"""A set of Python functions that can be listed and called with JSON: what every source runs on."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    Quarantined,
    SourceUnavailable,
    ToolError,
    ToolResult,
    ToolSpec,
)

from ._function import InvalidArguments, PythonFunction
from ._values import json_value

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

MAX_MESSAGE = 2_000


@attrs.frozen
class Toolbox:
    """Functions by name, and those that were left out with the reason."""

    functions: Mapping[str, PythonFunction]
    quarantined: tuple[Quarantined, ...] = ()
    max_items: int = 1_000

    @property
    def specs(self) -> list[ToolSpec]:
        return [function.spec for function in self.functions.values()]

    def function(self, name: str) -> PythonFunction:
        """Raises `SourceUnavailable` for a function that is no longer there."""
        try:
            return self.functions[name]
        except KeyError:
            raise SourceUnavailable(f"{name} is not offered any more") from None

    def call(self, function: PythonFunction, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a function that is not asynchronous; raises `ToolError`."""
        try:
            positional, keywords = function.bind(arguments)
        except InvalidArguments as error:
            return invalid(function.spec.name, error)
        try:
            return self._result(function.function(*positional, **keywords))
        except ToolError:
            raise
        except BaseException as error:  # noqa: BLE001 - foreign code: whatever it raises
            raise _failed(error) from None

    async def await_call(
        self, function: PythonFunction, arguments: Mapping[str, Any]
    ) -> ToolResult:
        """Call an asynchronous function; raises `ToolError`, and `CancelledError` when stopped."""
        try:
            positional, keywords = function.bind(arguments)
        except InvalidArguments as error:
            return invalid(function.spec.name, error)
        try:
            given = function.function(*positional, **keywords)
            value = await self._awaited(given)
            return self._result(value)
        except (ToolError, KeyboardInterrupt):
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise _failed(error) from None
        except BaseException as error:  # noqa: BLE001 - foreign code: whatever it raises
            raise _failed(error) from None

    async def _awaited(self, given: Any) -> Any:
        return await _taken(given, self.max_items) if hasattr(given, "__anext__") else await given

    def _result(self, value: Any) -> ToolResult:
        if isinstance(value, ToolResult):
            return value
        if inspect.iscoroutine(value):
            value.close()
            raise ToolError("it gave a coroutine; a function that does must be `async def`")
        shown, note = json_value(value, max_items=self.max_items)
        return ToolResult(value=shown, note=note)


async def _taken(items: AsyncIterator[Any], count: int) -> Iterable[Any]:
    """One item more than may be shown, so that the cut is seen and said."""
    taken: list[Any] = []
    async with aclosing(items) as open_items:  # type: ignore[type-var]
        async for item in open_items:
            taken.append(item)
            if len(taken) > count:
                break
    return iter(taken)


def invalid(name: str, error: InvalidArguments) -> ToolResult:
    failure = CallFailure(code=ErrorCode.INVALID_ARGUMENTS, message=str(error), tool=name)
    return ToolResult(error=failure)


def _failed(error: BaseException) -> ToolError:
    """Type and message of an exception, and nothing of where it was raised."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return ToolError(said[:MAX_MESSAGE])
