"""From an entry point, or what a program gives, to the object that is registered."""

from __future__ import annotations

from importlib import metadata
from types import ModuleType
from typing import Any

from attrs import frozen

from ..tracebacks import note, place_of
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
            note(f"importing {candidate.entry_point.value} failed", imported.error)
            return _unimportable(candidate.entry_point, imported)
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
        note(f"instantiating {obj.__name__} failed", made.error)
        return Violation(f"instantiating {obj.__name__} {made.cause}{_place(made.error)}", MEND)
    return made.value


def _unimportable(entry: metadata.EntryPoint, failure: Failure) -> Violation:
    """What kept the entry point from being loaded, and what would be right there."""
    match failure.error:
        case ModuleNotFoundError(name=str() as name) if f"{entry.module}.".startswith(f"{name}."):
            return Violation(
                f"its entry point {entry.value} names the module {name}, which is not there",
                "correct the entry point, or reinstall the distribution",
            )
        case AttributeError() as error if place_of(error) is None:
            return Violation(
                f"its entry point {entry.value} names {entry.attr}, which the module "
                f"{entry.module} does not have",
                "correct the entry point, or define it there",
            )
        case ImportError() as error:
            cure = "install what it needs, or disable it"
        case error:
            cure = MEND
    return Violation(f"importing {entry.value} {failure.cause}{_place(error)}", cure)


def _place(error: BaseException | None) -> str:
    place = None if error is None else place_of(error)
    return f" ({place})" if place else ""
