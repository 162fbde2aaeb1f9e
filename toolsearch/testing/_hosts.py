"""Real hosts for tests: chosen plugins, throw-away state, every event kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolsearch.host import Host
from toolsearch_hookspecs import PluginContext, ToolSource, hookimpl

from ._events import CapturedEvents

STRUCTURED = {"tools": {"toolSearch": {"mode": "tools"}}}


class ObservedHost(Host):
    """A host whose events are kept at `events`."""

    events: CapturedEvents

    @property
    def is_open(self) -> bool:
        """Whether it was started and not closed."""
        return self._parts is not None and not self._closed


class Yields:
    """A plugin that yields the sources it was made of."""

    def __init__(self, *sources: ToolSource) -> None:
        self.sources = sources

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        return self.sources


def observed_host(
    state_dir: Path,
    config: Mapping[str, Any] | None = None,
    *sources: ToolSource,
    plugins: Sequence[tuple[str, object] | object] = (),
    only: Iterable[str] | None = None,
    **more: Any,
) -> ObservedHost:
    """A host, not yet started. Without a configuration it is in `tools` mode.

    `sources` are yielded by a plugin. `plugins` are objects or classes, by name or bare. `only`
    are the installed plugins that are loaded; all batteries where it is left out. What else
    `Host.from_config` takes is passed on; the environment is empty unless `environ` is given.
    """
    events = CapturedEvents()
    own = [each if isinstance(each, tuple) else (_name(each), each) for each in plugins]
    given = [("events", events), ("sources", Yields(*sources)), *own]
    if only is not None:
        more["selection"] = {**more.get("selection", {}), "disabled": _others(set(only))}
    host = ObservedHost.from_config(
        STRUCTURED if config is None else config,
        plugins=given,
        environ=more.pop("environ", {}),
        state_dir=state_dir,
        **more,
    )
    assert isinstance(host, ObservedHost)  # noqa: S101  from_config gives its own class
    host.events = events
    return host


def _name(plugin: object) -> str:
    name = getattr(plugin, "__name__", type(plugin).__name__)
    return name.rpartition(".")[2].lower().replace("_", "-")


def _others(kept: set[str]) -> list[str]:
    from toolsearch.plugins import discover

    return sorted({found.name for found in discover().plugins} - kept)


def rogue_server(*flags: str) -> dict[str, Any]:
    """What stands under a name in `mcpServers` for a server that misbehaves.

    See `toolsearch/testing/rogue_mcp_server.py` for the flags, and for what its tools do.
    """
    import sys

    script = Path(__file__).with_name("rogue_mcp_server.py")
    return {"command": sys.executable, "args": [str(script), *flags]}
