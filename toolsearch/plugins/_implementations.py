"""The implementations that one host has registered, in the deployment's order."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import pluggy
from attrs import frozen

from toolsearch_hookspecs import HOOK_RULES, PROJECT, HookRule, Hooks

from ._contract import Declared
from ._discovery import PluginIdentity


class Style(Enum):
    """How an implementation runs."""

    TASK = "a task of its own"
    WORKER = "a worker thread of its plugin"
    INLINE = "the event loop"
    SYNC = "the thread of the caller"


@frozen(eq=False)
class Implementation:
    """One plugin's implementation of one hook."""

    plugin: PluginIdentity
    rule: HookRule
    function: Callable[..., Any]
    arguments: tuple[str, ...]
    style: Style

    @property
    def closed(self) -> bool:
        """Whether its failure denies."""
        return self.rule.closed

    def __str__(self) -> str:
        return f"plugin {self.plugin}, hook {self.rule.name}"


class Implementations:
    """One pluggy registry, read hook by hook. Two hosts have two of them."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(Hooks)
        self._declared: dict[str, tuple[PluginIdentity, dict[str, Declared]]] = {}
        self._by_hook: dict[str, tuple[Implementation, ...]] = dict.fromkeys(HOOK_RULES, ())

    def register(self, plugin: PluginIdentity, obj: object, declared: dict[str, Declared]) -> None:
        """Add a plugin whose declarations were checked; it comes after those already there."""
        self._manager.register(obj, plugin.name)
        self._declared[plugin.name] = (plugin, declared)
        self._read()

    def unregister(self, name: str) -> None:
        """Take a plugin out, with all of its implementations; unknown names are ignored."""
        if self._declared.pop(name, None) is not None:
            self._manager.unregister(name=name)
            self._read()

    def of(self, hook: str) -> tuple[Implementation, ...]:
        """The implementations of a hook, in the total order."""
        return self._by_hook[hook]

    def by(self, name: str, hook: str) -> Implementation | None:
        """One plugin's implementation of a hook."""
        return next((each for each in self.of(hook) if each.plugin.name == name), None)

    def hooks_of(self, name: str) -> tuple[str, ...]:
        """The hooks that a plugin implements, in lifecycle order."""
        return tuple(hook for hook in HOOK_RULES if self.by(name, hook) is not None)

    def _read(self) -> None:
        for hook, rule in HOOK_RULES.items():
            registered = {
                each.plugin_name: each.function
                for each in getattr(self._manager.hook, hook).get_hookimpls()
            }
            self._by_hook[hook] = tuple(
                Implementation(
                    plugin=plugin,
                    rule=rule,
                    function=registered[name],
                    arguments=declared[hook].arguments,
                    style=_style(rule, declared[hook]),
                )
                for name, (plugin, declared) in self._declared.items()
                if name in registered
            )


def _style(rule: HookRule, declared: Declared) -> Style:
    if not rule.asynchronous:
        return Style.SYNC
    if declared.coroutine:
        return Style.TASK
    return Style.INLINE if declared.inline else Style.WORKER
