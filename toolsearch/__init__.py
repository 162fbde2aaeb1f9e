"""toolsearch: one compact way for an agent to find and call any of thousands of tools."""

from toolsearch_hookspecs import (
    CallError,
    ConfigError,
    PluginError,
    ToolResult,
    ToolsearchError,
)

from .host import Host
from .runs import ClientTool, Run
from .sync import SyncHost, SyncRun

__all__ = [
    "CallError",
    "ClientTool",
    "ConfigError",
    "Host",
    "PluginError",
    "Run",
    "SyncHost",
    "SyncRun",
    "ToolResult",
    "ToolsearchError",
]
