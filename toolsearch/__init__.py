"""toolsearch: one compact way for an agent to find and call any of thousands of tools.

The names below are loaded when they are first used, so that `toolsearch --help` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolsearch_hookspecs import (
        CallError,
        ClientTool,
        ConfigError,
        PluginError,
        ToolResult,
        ToolsearchError,
    )

    from .host import Host
    from .runs import Run, Step
    from .sync import SyncHost, SyncRun

__all__ = [
    "CallError",
    "ClientTool",
    "ConfigError",
    "Host",
    "PluginError",
    "Run",
    "Step",
    "SyncHost",
    "SyncRun",
    "ToolResult",
    "ToolsearchError",
]

_HOME = {
    "Host": "toolsearch.host",
    "Run": "toolsearch.runs",
    "Step": "toolsearch.runs",
    "SyncHost": "toolsearch.sync",
    "SyncRun": "toolsearch.sync",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME.get(name, "toolsearch_hookspecs")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
