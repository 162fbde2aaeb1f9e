"""The signature of a callable, with every type that can be had for it."""

from __future__ import annotations

import functools
import inspect
import typing
from inspect import Parameter
from typing import Any

import attrs

from ._forms import NotJson
from ._stub_types import united

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

    from ._stubs import Place, StubParameter, Stubs, StubSignature

empty = Parameter.empty
POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@attrs.frozen
class Argument:
    """One parameter: `default` may be unknown (`empty`) although it is `optional`."""

    name: str
    kind: Any
    annotation: Any
    optional: bool
    default: Any = empty


@attrs.frozen
class Signature:
    arguments: tuple[Argument, ...]
    returns: Any = empty


def signature(function: Any, place: Place | None, stubs: Stubs) -> Signature:
    """Annotations first, then stubs for what they leave out.

    Raises `NotJson` where the parameters cannot be known or an annotation cannot be resolved.
    """
    hints = _hints(function)
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return _from_stubs(function, place, stubs)
    parameters = list(found.parameters.values())
    returns = hints.get("return", empty)
    missing = [item for item in parameters if hints.get(item.name, empty) is empty]
    overloads: tuple[StubSignature, ...] = ()
    if place is not None and (missing or returns is empty):
        overloads = _textual(stubs.signatures(place))
    arguments = []
    if place is not None and place.takes_self:
        arguments.append(_instance(parameters.pop(0).name, place.owner))
    arguments += [_argument(item, at, hints, overloads) for at, item in enumerate(parameters)]
    if returns is empty and overloads:
        returns = united([overload.returns for overload in overloads])
    return Signature(tuple(arguments), returns)


def _instance(name: str, self_type: Any) -> Argument:
    return Argument(name, Parameter.POSITIONAL_ONLY, self_type, optional=False)


def _hints(function: Any) -> dict[str, Any]:
    target = inspect.unwrap(function)
    while isinstance(target, functools.partial):
        target = inspect.unwrap(target.func)
    if not inspect.isroutine(target) and not isinstance(target, type):
        target = type(target).__call__
    if isinstance(target, type):
        target = vars(target).get("__init__", target)
    try:
        return typing.get_type_hints(target, localns=_nonlocals(target), include_extras=True)
    except NameError as unknown:
        raise NotJson(f"the annotation {unknown.name!r} cannot be resolved") from None
    except (TypeError, AttributeError):
        return {}


def _nonlocals(target: Any) -> dict[str, Any]:
    try:
        return dict(inspect.getclosurevars(target).nonlocals)
    except (TypeError, ValueError):
        return {}


def _argument(
    item: Parameter, at: int, hints: dict[str, Any], overloads: Sequence[StubSignature]
) -> Argument:
    annotation = hints.get(item.name, empty)
    if annotation is empty:
        matching = [_matching(item, at, overload) for overload in overloads]
        types = [match.annotation for match in matching if match is not None]
        annotation = united(types) if types else Any
    variable = item.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return Argument(
        name=item.name,
        kind=item.kind,
        annotation=annotation,
        optional=variable or item.default is not empty,
        default=item.default,
    )


def _matching(item: Parameter, at: int, overload: StubSignature) -> StubParameter | None:
    """By name; C functions name their positional parameters differently, so then by place."""
    for stub in overload.parameters:
        if stub.name == item.name:
            return stub
    if item.kind in POSITIONAL and at < len(overload.parameters):
        stub = overload.parameters[at]
        return stub if stub.kind is Parameter.POSITIONAL_ONLY else None
    return None


def _textual(overloads: tuple[StubSignature, ...]) -> tuple[StubSignature, ...]:
    """Without the overloads for bytes, where there are some for text: JSON has text."""
    textual = tuple(item for item in overloads if not any(map(_takes_bytes, item.parameters)))
    return textual or overloads


def _takes_bytes(parameter: StubParameter) -> bool:
    members = [parameter.annotation, *typing.get_args(parameter.annotation)]
    return any(kind in members for kind in (bytes, bytearray, memoryview))


def _from_stubs(function: Any, place: Place | None, stubs: Stubs) -> Signature:
    """For C functions that say nothing of themselves: the longest overload of their stub.

    A parameter that another overload does without is optional.
    """
    overloads = () if place is None else stubs.signatures(place)
    overloads = _textual(overloads)
    if not overloads:
        raise NotJson("its signature is not known")
    longest = max(overloads, key=lambda overload: len(overload.parameters))
    least = min(
        sum(1 for item in overload.parameters if not item.optional) for overload in overloads
    )
    arguments = []
    if place is not None and place.takes_self:
        arguments.append(_instance("self", place.owner))
    for at, stub in enumerate(longest.parameters):
        types = [
            other.annotation
            for overload in overloads
            for other in overload.parameters
            if other.name == stub.name
        ]
        arguments.append(
            Argument(
                name=stub.name,
                kind=stub.kind,
                annotation=united(types),
                optional=stub.optional or at >= least,
                default=stub.default,
            )
        )
    return Signature(tuple(arguments), united([overload.returns for overload in overloads]))
