"""Which callables of a module or an object become tools, and under which names."""

from __future__ import annotations

import fnmatch
import inspect
from types import ClassMethodDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any

import attrs

from ._stubs import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BOUND_TO_CLASS = (staticmethod, classmethod, ClassMethodDescriptorType)


@attrs.frozen
class Member:
    """A callable with the name of its tool and the place where a stub file has it."""

    name: str
    function: Any
    place: Place | None = None


def matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def functions_of(module: ModuleType) -> Iterator[Member]:
    """The public functions of a module: those in `__all__`, else those defined in it."""
    listed = getattr(module, "__all__", None)
    names = [name for name in dir(module) if not name.startswith("_")] if listed is None else listed
    for name in sorted(set(names)):
        found = getattr(module, name, None)
        if not callable(found) or isinstance(found, type):
            continue
        if listed is None and getattr(found, "__module__", None) != module.__name__:
            continue
        yield Member(name, found, Place(module.__name__, name))


def function_named(module: ModuleType, name: str) -> Member | None:
    """A callable of the module by its exact name, a class included."""
    found = getattr(module, name, None)
    return Member(name, found, Place(module.__name__, name)) if callable(found) else None


def methods_of(value: Any, prefix: str) -> Iterator[Member]:
    """The public methods of an object, or of a class.

    Of a class, class and static methods are taken as they are; a plain method takes the instance
    as its first argument, `self`.
    """
    kind = value if isinstance(value, type) else type(value)
    for name in dir(value):
        if name.startswith("_"):
            continue
        declared = inspect.getattr_static(kind, name, None)
        function = getattr(value, name, None)
        if declared is None or not inspect.isroutine(function):
            continue
        bound = not isinstance(value, type) or isinstance(declared, BOUND_TO_CLASS)
        place = Place(kind.__module__, name, owner=kind, takes_self=not bound)
        yield Member(f"{prefix}{name}", function, place)
