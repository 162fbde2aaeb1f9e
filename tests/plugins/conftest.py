from __future__ import annotations

import importlib
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from toolsearch.plugins import Discovery, Plan, PluginHost, discover
from toolsearch_hookspecs import (
    ApprovalRequest,
    Event,
    EventType,
    Limits,
    PluginContext,
    RankedTool,
    RunContext,
    Tool,
    ToolCall,
    hookimpl,
)

LONG = Limits(hook_timeout_ms=60_000)
SHORT = Limits(hook_timeout_ms=50)

_numbers = itertools.count()


class Site:
    """A folder on the path with distributions laid down by hand, as conda does it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def host(self, *requires: str) -> None:
        """The metadata of toolsearch itself: its requirements are the batteries."""
        self.metadata("toolsearch", "0.1.0", requires=requires)

    def plugin(
        self,
        name: str,
        source: str = "",
        *,
        distribution: str | None = None,
        version: str | None = "1.0",
        value: str | None = None,
        record: bool = False,
    ) -> str:
        """One plugin in a distribution of its own; gives the name of its module."""
        module = f"site_{next(_numbers)}_{name.replace('-', '_').replace('.', '_')}"
        code = source or HOOKLESS
        (self.root / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        folder = self.metadata(distribution or f"acme-{name}", version)
        (folder / "entry_points.txt").write_text(
            f"[toolsearch.plugins]\n{name} = {value or f'{module}:plugin'}\n", encoding="utf-8"
        )
        if record:
            self.record(folder, f"{module}.py")
        importlib.invalidate_caches()
        return module

    def metadata(self, name: str, version: str | None, *, requires: tuple[str, ...] = ()) -> Path:
        folder = self.root / f"{name.replace('-', '_')}-{version or '0'}.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}"]
        lines += [f"Version: {version}"] if version else []
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        (folder / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder

    def record(self, folder: Path, *files: str) -> None:
        import base64
        import hashlib

        rows = []
        for file in files:
            digest = hashlib.sha256((self.root / file).read_bytes()).digest()
            encoded = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            rows.append(f"{file},sha256={encoded},{(self.root / file).stat().st_size}")
        rows.append(f"{folder.name}/RECORD,,")
        (folder / "RECORD").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def discover(self) -> Discovery:
        return discover(path=[str(self.root)])


HOOKLESS = """
from toolsearch_hookspecs import hookimpl

class plugin:
    @hookimpl
    def toolsearch_shutdown(self):
        pass
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Site(tmp_path)
    for name in [name for name in sys.modules if name.startswith("site_")]:
        del sys.modules[name]


def contexts_for(host: PluginHost, where: Path) -> dict[str, PluginContext]:
    return {
        plugin.name: PluginContext(name=plugin.name, base_dir=where, state_dir=where)
        for plugin in host.loaded
    }


Hosted = Callable[..., PluginHost]


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    """A configured host of plugins given as `name=object or class`."""

    def make(limits: Limits = LONG, **plugins: Any) -> PluginHost:
        host = PluginHost.load(Plan(()), list(plugins.items()), limits=limits)
        host.configure(contexts_for(host, tmp_path))
        return host

    return make


def plugin_with(**hooks: Callable[..., Any]) -> type:
    """A plugin class with the given implementations, each marked."""
    return type("Plugin", (), {name: hookimpl(hook) for name, hook in hooks.items()})


def tool(name: str = "open_page") -> Tool:
    return Tool(
        id=f"plugin:browser:{name}",
        source="plugin",
        owner="browser",
        name=name,
        digest=f"digest of {name}",
        plugin="browser",
        origin="browser 1.0",
    )


def run(run_id: str = "r1", **who: Any) -> RunContext:
    return RunContext(run_id=run_id, **who)


def call(**arguments: Any) -> ToolCall:
    return ToolCall(id="c1", tool=tool(), arguments=arguments, run=run(), via="tool_call")


def request() -> ApprovalRequest:
    now = datetime.now(UTC)
    return ApprovalRequest(
        id="a1",
        call=call(url="https://example.org"),
        reasons=(),
        digest="d",
        created=now,
        expires=now + timedelta(seconds=60),
    )


def hit(name: str) -> RankedTool:
    return RankedTool(tool=tool(name), score=1.0, confidence=0.5)


def event(seq: int = 1) -> Event:
    return Event(type=EventType.SEARCH, at=datetime.now(UTC), seq=seq)
