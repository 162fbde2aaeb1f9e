"""The table of plugins, for `toolsearch plugins`."""

from __future__ import annotations

from typing import Any

from ._host import PluginHost
from ._plan import Plan, PlannedPlugin, PluginState


def plugin_table(plan: Plan, host: PluginHost | None = None) -> list[dict[str, Any]]:
    """One row a plugin, in the total order, with the keys of `toolsearch plugins --json`.

    Without a host, from metadata alone: what would become of each. Nothing is imported.
    With the host that loaded the plan, rows say what really became of each plugin, loaded ones
    have `hooks`, and the plugins that the program gave stand there too.
    """
    rows = [_row(planned, host) for planned in plan.plugins]
    installed = {row["name"] for row in rows}
    if host is not None:
        rows.extend(
            {
                "name": plugin.name,
                "distribution": None,
                "version": None,
                "battery": False,
                "state": PluginState.LOADED.value,
                "reason": "given by the program",
                "hooks": list(host.hooks_of(plugin.name)),
            }
            for plugin in host.loaded
            if plugin.name not in installed
        )
    rows.sort(key=lambda row: plan.position(row["name"]))
    return [{"order": order, **row} for order, row in enumerate(rows, start=1)]


def _row(planned: PlannedPlugin, host: PluginHost | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": planned.name,
        "distribution": planned.found.distribution,
        "version": planned.found.version,
        "battery": planned.found.battery,
        "state": planned.state.value,
        "reason": planned.reason,
    }
    if host is None or planned.state is not PluginState.LOADED:
        return row
    if (refusal := host.refusal(planned.name)) is not None:
        return {**row, "state": PluginState.FAILED.value, "reason": refusal}
    return {**row, "hooks": list(host.hooks_of(planned.name))}
