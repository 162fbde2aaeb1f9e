"""The hooks that register: each plugin is asked once a host, and what it yields has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Diagnostic, PluginContext

from ..isolation import contained_now, text_of
from ..text import one_line
from ._answers import Yielded
from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._members import faults_of
from ._outcome import wrong

_OWNER = re.compile(r"[a-z0-9_.-]+")

OF_PLUGINS = ("plugin", "mcp")
"""The kinds of sources that plugins may yield; the others are the host's own."""


def _own_name(value: Any) -> Hashable:
    name: str = value.name
    return name


@frozen
class Offer:
    """What a registering hook yields: a record or a protocol, and what makes two of them the same.

    `narrowed` are attributes with the only words that a plugin may give them; `fault` says what
    else is wrong with one.
    """

    hook: str
    type: type[Any]
    key: Callable[[Any], Hashable] = _own_name
    fault: Callable[[Any], str | None] = lambda _: None
    narrowed: Mapping[str, tuple[str, ...]] = {}
    is_record: bool = False


@frozen
class _Yield:
    by: Implementation
    key: Hashable
    value: Any


class Registrations:
    """What the plugins of one host registered, asked for on first need and kept."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._kept: dict[str, tuple[Yielded[Any], ...]] = {}
        self._silent: set[tuple[str, str]] = set()
        self.contexts: Mapping[str, PluginContext] = {}

    def of(self, offer: Offer) -> tuple[Yielded[Any], ...]:
        """Everything yielded, in the total order.

        What is not as its type declares is reported and absent, and so are two of one name; what
        else a plugin yields stays, also what it yielded before it failed. Raises `LookupError`
        for a host that was not configured.
        """
        if offer.hook not in self._kept:
            implementations = self._dispatcher.implementations.of(offer.hook)
            yielded = [item for each in implementations for item in self._asked(each, offer)]
            self._kept[offer.hook] = self._unique(offer.hook, yielded)
        return self._kept[offer.hook]

    def _asked(self, each: Implementation, offer: Offer) -> list[_Yield]:
        context = self.contexts.get(each.plugin.name)
        if context is None:
            raise LookupError(f"{each}: configure the host before asking what it registers")
        taken: list[_Yield] = []

        def take(answer: Any) -> None:
            if answer is None:
                self._silent.add((each.plugin.name, offer.hook))
                return
            if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
                raise wrong(answer, f"some of {offer.type.__name__}, yielded or in a list,")
            for value in answer:
                fault = _fault(value, offer)
                if fault is None:
                    taken.append(_Yield(each, offer.key(value), value))
                else:
                    self._report_fault(each, offer, value, fault)

        self._dispatcher.call(each, {"plugin": context}, take)
        return taken

    def is_silent(self, plugin: str, hook: str) -> bool:
        """Whether the plugin's hook was asked and returned None, as it does where a `yield` or
        `return` was forgotten.
        """
        return (plugin, hook) in self._silent

    def _unique(self, hook: str, yielded: list[_Yield]) -> tuple[Yielded[Any], ...]:
        parties: dict[Hashable, list[Implementation]] = {}
        for item in yielded:
            parties.setdefault(item.key, []).append(item.by)
        for key, offering in parties.items():
            if len(offering) > 1:
                self._report_duplicate(hook, key, offering)
        return tuple(
            Yielded(item.by.plugin.name, item.value)
            for item in yielded
            if len(parties[item.key]) == 1
        )

    def _report_fault(self, each: Implementation, offer: Offer, value: Any, fault: str) -> None:
        called = contained_now(lambda: value.name).value
        name = f" {one_line(called, 80)!r}" if isinstance(called, str) and called else ""
        kind = value.__name__ if isinstance(value, type) else type(value).__name__
        self._dispatcher.reports.add(
            Diagnostic(
                level="error",
                code="plugins.unfit-object",
                message=f"{each}: the {kind}{name} that it yields is no {offer.type.__name__} and "
                f"is left out: {fault}",
                subject=each.plugin.name,
                cure=f"mend the plugin; {offer.type.__name__} in toolsearch_hookspecs says what "
                "one has",
            )
        )

    def _report_duplicate(self, hook: str, key: Hashable, offering: list[Implementation]) -> None:
        name = ":".join(key) if isinstance(key, tuple) else str(key)
        plugins = " and ".join(str(each.plugin) for each in offering)
        self._dispatcher.reports.add(
            Diagnostic(
                level="error",
                code="plugins.duplicate-object",
                message=f"{hook}: the name {name!r} is offered by {plugins}; neither is used",
                subject=name,
                cure="disable one of the plugins, or give one of the objects another name",
            )
        )


def source_key(source: Any) -> Hashable:
    """Owners are unique within their kind."""
    return source.kind, source.name


def source_fault(source: Any) -> str | None:
    """What a source needs beside its members: a name that the ids of its tools can hold."""
    if _OWNER.fullmatch(source.name):
        return None
    return f"its name {one_line(source.name, 80)!r} is not made of a-z, 0-9, '_', '.' and '-'"


def _fault(value: Any, offer: Offer) -> str | None:
    """What is wrong with something yielded; None where it can be used."""
    outcome = contained_now(lambda: _judged(value, offer))
    if outcome.failure is not None:
        return f"looking at it raised {type(outcome.failure).__name__}: {text_of(outcome.failure)}"
    fault: str | None = outcome.value
    return fault


def _judged(value: Any, offer: Offer) -> str | None:
    if offer.is_record:
        if not isinstance(value, offer.type):
            return f"it is of type {type(value).__name__}"
    elif faults := faults_of(value, offer.type, offer.narrowed):
        return "; ".join(faults)
    return offer.fault(value) if value.name else "its `name` is empty"
