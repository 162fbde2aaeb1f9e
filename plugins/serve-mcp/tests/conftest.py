"""`toolsearch serve` in this process and as a process, with MCP clients of the SDK in front."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from toolsearch.host import Host
from toolsearch_serve_mcp import ServeSettings

UPSTREAM = Path(__file__).with_name("upstream.py")


@asynccontextmanager
async def wired(server: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The client's ends of two pipes with the server at the others."""
    to_server, from_client = anyio.create_memory_object_stream[Any](0)
    to_client, from_server = anyio.create_memory_object_stream[Any](0)
    options = server.create_initialization_options()
    serving = asyncio.create_task(server.run(from_client, to_client, options))
    try:
        yield from_server, to_server
    finally:
        to_server.close()
        await asyncio.wait({serving}, timeout=5)
        serving.cancel()
        await asyncio.wait({serving})
        for stream in (from_client, to_client, from_server):
            stream.close()


class Serving:
    """A deployment: its configuration, and ways to serve it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes"
        self.config: dict[str, Any] = {
            "tools": {"toolSearch": {"mode": "tools"}},
            "mcpServers": {
                "up": {
                    "command": sys.executable,
                    "args": [str(UPSTREAM), str(self.notes)],
                    "trusted": True,
                }
            },
        }
        self.plugins: list[tuple[str, object]] = []
        self.processes: list[subprocess.Popen[str]] = []

    @property
    def environ(self) -> dict[str, str]:
        return os.environ | {"XDG_STATE_HOME": str(self.folder / "state"), "HOME": str(self.folder)}

    @asynccontextmanager
    async def front(self, **who: Any) -> AsyncIterator[Any]:
        """The server of a host in this process, over which clients are connected."""
        from toolsearch_serve_mcp._command import fronted
        from toolsearch_serve_mcp._server import server_for

        settings = ServeSettings(split_calls=who.pop("split_calls", False))
        state = self.folder / "state"
        host = Host.from_config(self.config, plugins=self.plugins, state_dir=state)
        async with host, fronted(host, settings, who) as front:
            front.patience_s = 60
            yield server_for(front)

    @asynccontextmanager
    async def client(self, *, era: str = "legacy", who: dict[str, Any] | None = None, **given: Any):
        """One client of a server in this process."""
        async with (
            self.front(**(who or {})) as server,
            self.connected(server, era=era, **given) as client,
        ):
            yield client

    def connected(self, server: Any, *, era: str = "legacy", **given: Any) -> Client:
        """A client of a server that others may have as well."""
        return Client(wired(server), mode=era, **given)

    def argv(self, *flags: str) -> list[str]:
        """The command line of a server of its own."""
        file = self.folder / "toolsearch.json5"
        file.write_text(json.dumps(self.config))
        return [sys.executable, "-m", "toolsearch", "--config", str(file), "serve", *flags]

    def start(self, *flags: str, **pipes: Any) -> subprocess.Popen[Any]:
        process = subprocess.Popen(self.argv(*flags), env=self.environ, cwd=self.folder, **pipes)
        self.processes.append(process)
        return process

    def start_found(self, **pipes: Any) -> subprocess.Popen[Any]:
        """Start it by the file that it finds in its folder."""
        self.argv()
        environ = self.environ | {"TOOLSEARCH_STATE_DIR": str(self.folder / "new")}
        argv = [sys.executable, "-m", "toolsearch", "serve"]
        process = subprocess.Popen(argv, env=environ, cwd=self.folder, **pipes)
        self.processes.append(process)
        return process

    def http(self, *flags: str) -> str:
        """Start it over HTTP on a free port; gives the address."""
        flags = ("--http", "--port", "0", *flags)
        process = self.start(*flags, stderr=subprocess.PIPE, text=True)
        said = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("serving at "):
                return line.split()[-1]
        raise AssertionError("".join(said))

    def log(self) -> list[str]:
        return self.notes.read_text().splitlines() if self.notes.exists() else []

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
            process.wait(timeout=20)


@pytest.fixture
def serving(tmp_path: Path):
    deployment = Serving(tmp_path)
    yield deployment
    deployment.stop()


@pytest.fixture
def until():
    """Wait for what another process does; the bound is only there to end a broken test."""

    async def wait(true: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not true():
                await asyncio.sleep(0.01)

    return wait
