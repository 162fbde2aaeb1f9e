"""The configuration of one host, resolved: what the host and its plugins read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import BaseModel

    from toolsearch_hookspecs import (
        ApprovalSettings,
        Diagnostic,
        Limits,
        LogSettings,
        RunContext,
        ToolSearchSettings,
    )

    from ._layers import Layers
    from ._models import PluginsSettings, StagesSettings


@attrs.frozen
class HostConfig:
    """Everything that was configured, parsed and checked.

    `claimed` are the parsed values of the keys that each plugin claims and the configuration has;
    `settings` the settings of each loaded plugin. `places` says where a dotted path stands
    (`file:line:column`). `trusted` is false for a file that was found and not trusted: what it
    may not decide is already left out, and `diagnostics` says so. What may hold a secret is not in
    the representation.
    """

    limits: Limits
    log: LogSettings
    approvals: ApprovalSettings
    stages: StagesSettings
    plugins: PluginsSettings = attrs.field(repr=False)
    always_visible: tuple[str, ...]
    claimed: Mapping[str, Mapping[str, Any]] = attrs.field(repr=False)
    settings: Mapping[str, BaseModel | None] = attrs.field(repr=False)
    places: Mapping[str, str] = attrs.field(repr=False)
    base_dir: Path
    state_dir: Path
    path: Path | None
    trusted: bool
    diagnostics: tuple[Diagnostic, ...]
    layers: Layers

    @property
    def tool_search_set(self) -> bool:
        """Whether `tools.toolSearch` says anything, on or off."""
        return self.layers.tools is not None

    def tool_search(self, run: RunContext, mode: str | None = None) -> ToolSearchSettings:
        """The settings for one run: `tools`, its provider, its agent, then the argument.

        `mode="direct"` turns it off; any other mode turns it on.
        """
        return self.layers.settings(run.provider, run.agent, mode)

    def turned_on(self) -> HostConfig:
        """The same, with Tool Search on unless the configuration says anything about it (S10):
        for `demo`, `serve` and `gateway`.
        """
        return attrs.evolve(self, layers=attrs.evolve(self.layers, on_unless_said=True))
