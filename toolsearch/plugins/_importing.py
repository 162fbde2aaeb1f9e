"""From an entry point, or what a program gives, to the object that is registered."""

from __future__ import annotations

from importlib import metadata
from types import ModuleType
from typing import Any

from attrs import frozen

from ._contract import Violation
from ._discovery import PluginIdentity
from ._dispatch import contained
from ._outcome import Failure

MEND = "mend or disable the plugin"


@frozen
class Candidate:
    """Something to load: an entry point, or an object that the program gives."""

    identity: PluginIdentity
    named: bool
    battery: bool = False
    entry_point: metadata.EntryPoint | None = None
    given: Any = None


def plugin_object(candidate: Candidate) -> Any:
    """The object to register, or a `Violation`."""
    obj = candidate.given
    if candidate.entry_point is not None:
        imported = contained(candidate.entry_point.load)
        if isinstance(imported, Failure):
            return Violation(
                f"importing {candidate.entry_point.value} {imported.cause}",
                "install what it needs, or disable it",
            )
        obj = imported.value
        if not isinstance(obj, type | ModuleType):
            return Violation(
                f"its entry point {candidate.entry_point.value} is neither a class nor a module, "
                "and two hosts would share it",
                "name the class itself in the entry point",
            )
    if not isinstance(obj, type):
        return obj
    made = contained(obj)
    if isinstance(made, Failure):
        return Violation(f"instantiating {obj.__name__} {made.cause}", MEND)
    return made.value
