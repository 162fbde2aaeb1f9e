"""Whether an object has the members of its protocol, as the protocol declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..isolation import contained_now, text_of
from ..text import one_line

_MISSING = object()


def faults_of(
    value: object, protocol: type[Any], narrowed: Mapping[str, tuple[str, ...]] = {}
) -> list[str]:
    """What keeps `value` from being one of `protocol`, as sentences for its author; none: it fits.

    Every member must be there: an attribute of the type declared, a method `async def` where the
    protocol's is, and `def` where that is. A method whose answer is None may be inherited from the
    protocol; others must be defined. `narrowed` are attributes with the only words they may be.
    Nothing is called but properties.
    """
    if isinstance(value, type):
        return [f"the class itself was given; give an instance: {value.__name__}(…)"]
    hints, methods = get_type_hints(protocol), dict(_methods(protocol))
    if all(_read(value, name)[1] == _lacking(name) for name in (*hints, *methods)):
        return [f"it is of type {type(value).__name__}"]
    hints |= {name: Literal[words] for name, words in narrowed.items()}
    faults = [_attribute(value, name, hint) for name, hint in hints.items()]
    faults += [_method(value, name, declared) for name, declared in methods.items()]
    return [fault for fault in faults if fault]


def _methods(protocol: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, declared in vars(protocol).items():
        if not name.startswith("_") and inspect.isfunction(declared):
            yield name, declared


def _attribute(value: object, name: str, hint: Any) -> str | None:
    given, fault = _read(value, name)
    if fault is not None or _fits(given, hint):
        return fault
    if get_origin(hint) is Literal and isinstance(given, str):
        words = " or ".join(map(repr, get_args(hint)))
        return f"its `{name}` is {one_line(repr(given), 60)}; it may be {words}"
    return f"its `{name}` is of type {type(given).__name__}; {_spoken(hint)} was expected"


def _method(value: object, name: str, declared: Callable[..., Any]) -> str | None:
    given, fault = _read(value, name)
    if fault is not None:
        return fault
    if not callable(given):
        return f"its `{name}` is of type {type(given).__name__}; a method was expected"
    if getattr(given, "__func__", None) is declared:
        answers = inspect.signature(declared).return_annotation
        return None if answers in {None, "None"} else f"it does not define `{name}`"
    asynchronous = inspect.iscoroutinefunction(declared)
    if asynchronous and inspect.isasyncgenfunction(given):
        return f"its `{name}` is an asynchronous generator; return the answer, do not yield it"
    if asynchronous and not _is_asynchronous(given):
        return f"its `{name}` is a plain `def`; write `async def {name}`"
    if not asynchronous and _is_asynchronous(given):
        return f"its `{name}` is `async def`; write a plain `def {name}`"
    return None


def _read(value: object, name: str) -> tuple[Any, str | None]:
    outcome = contained_now(lambda: getattr(value, name, _MISSING))
    if outcome.failure is not None:
        said = f"{type(outcome.failure).__name__}: {text_of(outcome.failure)}"
        return None, f"reading its `{name}` raised {one_line(said, 200)}"
    if outcome.value is _MISSING:
        return None, _lacking(name)
    return outcome.value, None


def _lacking(name: str) -> str:
    return f"it lacks `{name}`"


def _is_asynchronous(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004  an object with `async __call__`
    )


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type: of a class, a `Literal`, or a tuple of one class."""
    match get_origin(hint), get_args(hint):
        case origin, words if origin is Literal:
            return isinstance(value, str) and value in words
        case origin, (inner, *_) if origin is tuple:
            return isinstance(value, tuple) and all(_fits(each, inner) for each in value)
        case None, _:
            return isinstance(value, hint)
        case _:
            return True


def _spoken(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
