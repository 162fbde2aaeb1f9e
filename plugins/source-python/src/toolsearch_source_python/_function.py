"""One Python callable as a tool: its declaration, and how JSON arguments become a call of it."""

from __future__ import annotations

import inspect
import json
import threading
import time
from inspect import Parameter
from typing import TYPE_CHECKING, Any

import attrs
from pydantic import ValidationError

from toolsearch_hookspecs import ToolSpec

from ._docstrings import docstring
from ._schema import Arguments, arguments_of, result_schema
from ._signatures import Argument, Signature, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._stubs import Place, Stubs

# One for the process, not for a host: CPython 3.11 makes one syntax tree at a time, and fails with
# SystemError where a second thread begins one. Signatures of C functions and stubs are read so; what
# else is in the process may read some, too, and that passes.
_READING = threading.Lock()
_READ_AGAIN = 5


class InvalidArguments(Exception):
    """The arguments do not fit; the text names the fields, never their values."""


@attrs.frozen
class PythonFunction:
    """A callable with its `ToolSpec`; `bind` reads arguments, `asynchronous` says how to run it."""

    function: Any
    spec: ToolSpec
    arguments: Arguments

    @property
    def asynchronous(self) -> bool:
        target = self.function
        if not inspect.isroutine(target):
            target = getattr(target, "__call__", target)  # noqa: B004 - an object's own call
        return inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target)

    def bind(self, given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Positional and keyword arguments; raises `InvalidArguments`."""
        names = {argument.name for argument in self.arguments.shown}
        named = {key: value for key, value in given.items() if key in names}
        rest = {key: value for key, value in given.items() if key not in names}
        try:
            extra = self._extra(rest)
            read = self.arguments.model.model_validate_json(json.dumps(named))
        except ValidationError as error:
            raise InvalidArguments(_explained(error, given)) from None
        values = {
            argument.name: getattr(read, f"p{at}")
            for at, argument in enumerate(self.arguments.shown)
            if f"p{at}" in read.model_fields_set
        }
        return _passed(self.arguments.shown, values, extra)

    def _extra(self, rest: Mapping[str, Any]) -> dict[str, Any]:
        if not rest:
            return {}
        if self.arguments.extra is None:
            raise InvalidArguments(f"unknown: {', '.join(sorted(rest))}")
        extra: dict[str, Any] = self.arguments.extra.validate_json(json.dumps(rest))
        return extra


def _explained(error: ValidationError, given: Mapping[str, Any]) -> str:
    """Each place once; of the alternatives of a union, what pydantic says of the last."""
    said: dict[str, str] = {}
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        said[_place(item["loc"], given, missing=item["type"] == "missing")] = item["msg"]
    return "; ".join(f"{place}: {message}" if place else message for place, message in said.items())


def _place(steps: tuple[int | str, ...], given: Any, *, missing: bool) -> str:
    """The steps that lead through the arguments, without those that name alternatives."""
    kept: list[str] = []
    for step in steps:
        if isinstance(given, dict) and step in given:
            given = given[str(step)]
        elif isinstance(given, list) and isinstance(step, int) and step < len(given):
            given = given[step]
        elif not (missing and step == steps[-1]):
            continue
        kept.append(str(step))
    return ".".join(kept)


def _passed(
    shown: tuple[Argument, ...], values: dict[str, Any], extra: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """By name, except where the signature asks for a place.

    A place cannot be skipped: an optional one before a given one takes its default, where known.
    """
    rest = next((item for item in shown if item.kind is Parameter.VAR_POSITIONAL), None)
    spread = values.pop(rest.name, []) if rest is not None else []
    positional: list[Any] = []
    keywords = dict(extra)
    skipped: list[Argument] = []
    for argument in shown:
        by_place = argument.kind is Parameter.POSITIONAL_ONLY or (
            spread and argument.kind is Parameter.POSITIONAL_OR_KEYWORD
        )
        if argument.name not in values:
            skipped += [argument] if by_place else []
        elif by_place:
            positional += [_default(item, argument) for item in skipped]
            positional.append(values[argument.name])
            skipped = []
        else:
            keywords[argument.name] = values[argument.name]
    if spread:
        positional += [_default(item, rest) for item in skipped] if rest is not None else []
        positional += spread
    return positional, keywords


def _default(skipped: Argument, given: Argument) -> Any:
    if skipped.default is Parameter.empty:
        raise InvalidArguments(f"{skipped.name}: needed where {given.name} is given")
    return skipped.default


def python_function(
    function: Any,
    name: str,
    *,
    stubs: Stubs,
    place: Place | None = None,
    declared: Mapping[str, Any] | None = None,
) -> PythonFunction:
    """Make a tool of a callable; `declared` are fields of `ToolSpec` that win over what is read.

    Raises `NotJson` where JSON cannot call it.
    """
    declared = declared or {}
    with _READING:
        found = _read(lambda: signature(function, place, stubs))
        said = docstring(function, name.rpartition(".")[2])
        arguments = arguments_of(found, said.parameters)
        result = result_schema(found.returns)
    fields: dict[str, Any] = {
        "name": name,
        "description": said.description,
        "input_schema": arguments.schema,
        "output_schema": result,
        **declared,
    }
    return PythonFunction(function, ToolSpec(**fields), arguments)


def _read(read: Callable[[], Signature]) -> Signature:
    for _ in range(_READ_AGAIN):
        try:
            return read()
        except SystemError:
            time.sleep(0.005)
    return read()
