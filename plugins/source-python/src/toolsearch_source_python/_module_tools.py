"""From one configured module to the functions it offers."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from toolsearch_hookspecs import Quarantined, SourceUnavailable

from ._forms import NotJson
from ._function import PythonFunction, python_function
from ._members import Member, function_named, functions_of, matches, methods_of
from ._toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ._settings import ModuleSettings
    from ._stubs import Stubs


def open_module(settings: ModuleSettings, max_items: int, stubs: Stubs) -> Toolbox:
    """Import the module and make tools of its functions.

    Raises `SourceUnavailable` when it cannot be imported; a function that JSON cannot call is
    quarantined with the reason.
    """
    module = _imported(settings.module)
    functions: dict[str, PythonFunction] = {}
    quarantined: list[Quarantined] = []
    for member in _members(module, settings, quarantined):
        try:
            functions[member.name] = python_function(
                member.function,
                member.name,
                stubs=stubs,
                place=member.place,
                declared=_declared(settings, member.name),
            )
        except (NotJson, ValidationError) as reason:
            quarantined.append(Quarantined(name=member.name, reason=str(reason)))
    return Toolbox(functions, tuple(quarantined), max_items)


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a foreign module: whatever it raises
        said = f"{type(error).__name__}: {error}"
        raise SourceUnavailable(f"the module {name} cannot be imported: {said}") from None


def _members(
    module: ModuleType, settings: ModuleSettings, quarantined: list[Quarantined]
) -> Iterator[Member]:
    members = {member.name: member for member in functions_of(module)}
    for name in settings.objects:
        members |= {member.name: member for member in _of_object(module, name, quarantined)}
    for name in settings.functions or ():
        if name not in members and not any(mark in name for mark in "*?["):
            named = function_named(module, name)
            if named is None:
                quarantined.append(Quarantined(name=name, reason=_absent(name, module, members)))
            else:
                members[name] = named
    wanted = ("*",) if settings.functions is None else settings.functions
    for name in sorted(members):
        if matches(name, wanted) and not matches(name, settings.exclude):
            yield members[name]


def _of_object(module: ModuleType, name: str, quarantined: list[Quarantined]) -> Iterator[Member]:
    attribute = name.removesuffix("()")
    try:
        value: Any = getattr(module, attribute)
        if attribute != name:
            value = value()
    except Exception as error:  # noqa: BLE001 - a foreign class: whatever its constructor raises
        reason = f"{type(error).__name__}: {error}"
        quarantined.append(Quarantined(name=name, reason=reason))
        return
    yield from methods_of(value, f"{attribute}.")


def _absent(name: str, module: ModuleType, members: dict[str, Member]) -> str:
    close = difflib.get_close_matches(name, members, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{module.__name__} has no function {name}{hint}"


def _declared(settings: ModuleSettings, name: str) -> dict[str, Any]:
    """What the deployment says of this function, by pattern."""
    annotations: dict[str, bool] = {}
    for pattern, said in settings.annotations.items():
        if matches(name, (pattern,)):
            annotations |= said.model_dump(by_alias=True, exclude_none=True)
    reasons = [reason for pattern, reason in settings.approval.items() if matches(name, (pattern,))]
    return {
        "annotations": annotations,
        "approval": reasons[-1] if reasons else None,
        "groups": settings.groups,
        "sequential": matches(name, settings.sequential),
        "timeout_ms": settings.timeout_ms,
    }
