"""The sections of the configuration that are the host's own (S10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from toolsearch_hookspecs import (
    ApprovalSettings,
    Limits,
    LogSettings,
    Settings,
    ToolSearchSettings,
)

DEFAULT_MODES: Mapping[str, str] = {"code": "mode-code", "tools": "mode-tools"}

TOOLS_KEYS: Mapping[str, Any] = {
    "toolSearch": bool | ToolSearchSettings,
    "alwaysVisible": tuple[str, ...],
    "limits": Limits,
}
RULE_KEYS = ("allow", "deny", "ask", "groups")
LEVELS = (
    "managed",
    "profiles",
    "providers",
    "agents",
    "channels",
    "sessions",
    "sandbox",
    "subagents",
)
TOOL_SEARCH_LEVELS = ("providers", "agents")
SERVERS = "mcpServers"


def _over_defaults(modes: Mapping[str, str]) -> Mapping[str, str]:
    return {**DEFAULT_MODES, **modes}


class StagesSettings(Settings):
    """`stages`: which plugin fills a stage, by entry-point name.

    `modes` is laid over the defaults. A mode that stands in neither is filled by the one plugin
    that offers it.
    """

    index: str = "index-whoosh"
    runner: str = "runner-node"
    modes: Annotated[Mapping[str, str], AfterValidator(_over_defaults)] = DEFAULT_MODES


class PluginsSettings(Settings):
    """`plugins`: which plugins are loaded, in which order, with which settings."""

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    pins: Mapping[str, str] = Field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)


HOST_SECTIONS: Mapping[str, type[Settings]] = {
    "approvals": ApprovalSettings,
    "log": LogSettings,
    "plugins": PluginsSettings,
    "stages": StagesSettings,
}
