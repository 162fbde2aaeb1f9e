"""The hooks that register: each plugin is asked once a host, and what it yields has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Diagnostic, PluginContext

from ._answers import Yielded
from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._outcome import WrongAnswer, wrong

_OWNER = re.compile(r"[a-z0-9_.-]+")


def _own_name(value: Any) -> Hashable:
    name: str = value.name
    return name


@frozen
class Offer:
    """What a registering hook yields: its type, and what makes two of them the same."""

    hook: str
    type: type[Any]
    key: Callable[[Any], Hashable] = _own_name


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
        self.contexts: Mapping[str, PluginContext] = {}

    def of(self, offer: Offer) -> tuple[Yielded[Any], ...]:
        """Everything yielded, in the total order.

        A name offered twice is reported with both parties, and neither is used. What a plugin
        yielded before it failed, or before something that does not fit, is kept. Raises
        `LookupError` for a host that was not configured.
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
            given = () if answer is None else answer
            taken.extend(_Yield(each, _key(value, offer), value) for value in given)

        self._dispatcher.call(each, {"plugin": context}, take)
        return taken

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
    if not _OWNER.fullmatch(source.name):
        raise WrongAnswer(f"the name {source.name!r} of a source is not made of a-z, 0-9, '_.-'")
    return source.kind, source.name


def _key(value: Any, offer: Offer) -> Hashable:
    if not isinstance(value, offer.type):
        raise wrong(value, offer.type.__name__)
    if not isinstance(value.name, str) or not value.name:
        raise WrongAnswer(f"a {offer.type.__name__} whose name is not text")
    return offer.key(value)
