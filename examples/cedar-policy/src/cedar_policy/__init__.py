"""A third party's plugin: policy from a file of Cedar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import (
    ConfigError,
    PluginContext,
    PolicyAnswer,
    RunContext,
    Settings,
    SettingsSpec,
    Tool,
    hookimpl,
)

if TYPE_CHECKING:
    from ._policy import Cedar

__all__ = ["CedarSettings", "plugin"]


class CedarSettings(Settings):
    """`plugins.settings.cedar-policy`: the file, relative to the configuration file."""

    path: str


class CedarPolicy:
    """What the entry point names: one object for each host."""

    def __init__(self) -> None:
        self._cedar: Cedar | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=CedarSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        """Read the policies. What raises here refuses the plugin, and stops the host's start."""
        from ._policy import Cedar

        path = plugin.base_dir / plugin.settings.path
        try:
            self._cedar = Cedar(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"the policies of {plugin.settings.path}: {error}") from error

    @hookimpl
    def toolsearch_tool_policy(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer:
        if self._cedar is None:
            raise RuntimeError("asked before it was configured")
        return self._cedar.answer(run, tools, arguments)


plugin = CedarPolicy
