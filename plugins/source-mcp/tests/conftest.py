"""Sources over real servers, closed again after each test."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from toolsearch_hookspecs import (
    Limits,
    PluginContext,
    RunContext,
    SourceListing,
    Tool,
    ToolCall,
    ToolResult,
)
from toolsearch_source_mcp import McpSettings, plugin

VERSION = "2026.8.31"
PACKAGES = tuple(
    f"@modelcontextprotocol/server-{name}@{VERSION}"
    for name in ("everything", "filesystem", "memory", "sequential-thinking")
)
INSTALL_SECONDS = 100
ROGUE = Path(__file__).with_name("rogue.py")
RUN = RunContext(run_id="r1")
QUICK = {"shutdownMs": 500, "firstBackoffMs": 50, "debounceMs": 20}


class Servers:
    """The sources of one host, the way a host would hold them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources: list[Any] = []
        self.changes: asyncio.Queue[str] = asyncio.Queue()

    async def open(
        self,
        servers: dict[str, Any],
        *,
        settings: dict[str, Any] | None = None,
        environ: dict[str, str] | None = None,
        **limits: int,
    ) -> list[Any]:
        """Start the sources of `mcpServers` as a host does."""
        battery = plugin()
        claims = battery.toolsearch_settings().claims
        claimed = {key: TypeAdapter(kind).validate_python(servers) for key, kind in claims.items()}
        context = PluginContext(
            name="source-mcp",
            settings=McpSettings.model_validate(QUICK | (settings or {})),
            claimed=claimed,
            limits=Limits(**limits),
            base_dir=self.folder,
            state_dir=self.folder / "state",
            environ={"PATH": os.environ["PATH"]} | (environ or {}),
        )
        opened = list(battery.toolsearch_tool_sources(context))
        for source in opened:
            self.sources.append(source)
            await source.start(lambda name=source.name: self.changes.put_nowait(name))
        return opened

    async def rogue(self, *flags: str, name: str = "rogue", **given: Any) -> Any:
        """One source over the rogue server."""
        more = given.pop("server", {})
        server = {"command": sys.executable, "args": [str(ROGUE), *map(str, flags)], **more}
        (source,) = await self.open({name: server}, **given)
        return source

    async def aclose(self) -> None:
        await asyncio.gather(*(source.aclose() for source in self.sources))

    async def listing(self, source: Any) -> SourceListing:
        return await source.list_tools(RUN)

    async def names(self, source: Any) -> set[str]:
        return {tool.name for tool in (await self.listing(source)).tools}

    async def call(self, source: Any, name: str, **arguments: Any) -> ToolResult:
        """Call a tool of a source as the host would."""
        return await source.call(self.tool_call(source, name, arguments))

    def tool_call(
        self, source: Any, name: str, arguments: dict[str, Any], **fields: Any
    ) -> ToolCall:
        tool = Tool(
            id=f"mcp:{source.name}:{name}",
            source="mcp",
            owner=source.name,
            name=name,
            digest="d",
            plugin="source-mcp",
            origin=source.origin,
            **fields,
        )
        return ToolCall(id="c1", tool=tool, arguments=arguments, run=RUN, via="tool_call")

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for what another process does; the bound is only there to end a broken test."""
        async with asyncio.timeout(20):
            while not true():
                await asyncio.sleep(0.01)


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Servers]:
    held = Servers(tmp_path)
    yield held
    await held.aclose()


@pytest.fixture
def alive() -> Callable[[int], bool]:
    return process_lives


def process_lives(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture(scope="session")
def npm_commands() -> Path:
    """The commands of published servers, installed once into a temporary folder."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    digest = hashlib.sha256("\n".join(PACKAGES).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"toolsearch-npm-{os.getuid()}-{digest}"
    commands = folder / "node_modules" / ".bin"
    if (folder / "complete").exists():
        return commands
    folder.mkdir(mode=0o700, exist_ok=True)
    argv = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder]
    try:
        subprocess.run([*argv, *PACKAGES], check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"npm cannot be reached ({type(error).__name__})")
    (folder / "complete").touch()
    return commands
