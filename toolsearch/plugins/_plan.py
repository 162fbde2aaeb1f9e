"""The selection applied to what is installed, before anything is imported."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from attrs import field, frozen

from toolsearch_hookspecs import Diagnostic

from ._discovery import Discovery, FoundPlugin
from ._nearest import did_you_mean
from ._pins import pin_violation
from ._selection import EVERY, PluginSelection

UNKNOWN_NAME = "plugins.unknown-name"


class PluginState(StrEnum):
    """What becomes of a plugin."""

    LOADED = "loaded"
    DISABLED = "disabled"
    NOT_ENABLED = "not enabled"
    DUPLICATE = "duplicate"
    PIN_MISMATCH = "pin mismatch"
    BROKEN = "broken"
    FAILED = "failed"


@frozen
class PlannedPlugin:
    """One installed plugin, what would become of it, and why. `named` ones are needed."""

    found: FoundPlugin
    state: PluginState
    reason: str
    named: bool = False

    @property
    def name(self) -> str:
        return self.found.name


@frozen
class Plan:
    """Every installed plugin in the total order, and what is wrong with metadata or selection."""

    plugins: tuple[PlannedPlugin, ...] = ()
    selection: PluginSelection = field(factory=PluginSelection)
    problems: tuple[Diagnostic, ...] = ()

    @property
    def to_load(self) -> tuple[PlannedPlugin, ...]:
        return tuple(plugin for plugin in self.plugins if plugin.state is PluginState.LOADED)

    @property
    def unusable(self) -> tuple[PlannedPlugin, ...]:
        """Those that the deployment would have, but that cannot be loaded as they are."""
        return tuple(plugin for plugin in self.plugins if plugin.state in _UNUSABLE)

    def position(self, name: str) -> tuple[int, str]:
        """The key of the total order: the deployment's `order`, then name."""
        order = self.selection.order
        return (order.index(name) if name in order else len(order)), name


_UNUSABLE = {PluginState.DUPLICATE, PluginState.PIN_MISMATCH, PluginState.BROKEN}


def select(discovery: Discovery, selection: PluginSelection) -> Plan:
    """What would be loaded, and why the rest would not.

    Raises nothing: a name that is not installed is a problem of the plan, on which loading it
    stops, so that the plugins can be listed whatever the selection says.
    """
    plan = Plan(selection=selection)
    planned = [
        PlannedPlugin(found, state, reason, named=_is_named(found, selection))
        for found in discovery.plugins
        for state, reason in [_fate(found, discovery, selection)]
    ]
    planned.sort(key=lambda plugin: (plan.position(plugin.name), plugin.found.distribution))
    known = {found.name for found in discovery.plugins}
    problems = (*discovery.problems, *_unknown_names(selection, known))
    return Plan(tuple(planned), selection, problems)


def _is_named(found: FoundPlugin, selection: PluginSelection) -> bool:
    return found.name in selection.enabled or found.name in selection.pins


def _fate(
    found: FoundPlugin, discovery: Discovery, selection: PluginSelection
) -> tuple[PluginState, str]:
    if found.name in selection.disabled:
        return PluginState.DISABLED, f"disabled by {selection.who('disabled')}"
    if len(offers := discovery.named(found.name)) > 1:
        return PluginState.DUPLICATE, _duplicate(offers)
    if found.name in selection.enabled:
        why = f"named by {selection.who('enabled')}"
    elif found.battery:
        why = "battery"
    elif EVERY in selection.enabled:
        why = f"every plugin is enabled by {selection.who('enabled')}"
    else:
        return PluginState.NOT_ENABLED, "no battery; name it in plugins.enabled to load it"
    if found.problem is not None:
        return PluginState.BROKEN, found.problem
    pin = selection.pins.get(found.name)
    if pin is not None and (violation := pin_violation(found, pin)) is not None:
        return PluginState.PIN_MISMATCH, violation
    return PluginState.LOADED, why


def _duplicate(offers: tuple[FoundPlugin, ...]) -> str:
    parties = " and ".join(
        f"{offer.distribution} {offer.version or 'of unknown version'}" for offer in offers
    )
    return f"the name is offered by {parties}; uninstall one of them, or disable the name"


def _unknown_names(selection: PluginSelection, known: set[str]) -> Iterator[Diagnostic]:
    wanted = {
        "enabled": [name for name in selection.enabled if name != EVERY],
        "disabled": selection.disabled,
        "order": selection.order,
        "pins": selection.pins,
    }
    for key, names in wanted.items():
        for name in names:
            if name not in known:
                yield Diagnostic(
                    level="error",
                    code=UNKNOWN_NAME,
                    message=f"plugins.{key} ({selection.who(key)}) names the unknown plugin "
                    f"{name!r}{did_you_mean(name, known)}",
                    subject=name,
                    cure="install the distribution that has it, or take the name out; "
                    "`toolsearch plugins` lists what is installed",
                )
