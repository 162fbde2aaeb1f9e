"""A second opinion: a published mock provider that nobody here wrote, `@copilotkit/aimock`.

It does not plan; it plays what it is told, and only goes on where the receipt came back to it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx2

from toolsearch_hookspecs import ToolsearchError

from ..provider import Received
from ._catalog import GIVEN, QaCatalog

COMMANDS = ("llmock", "aimock")
ABSENT = (
    "aimock is not installed (npm install -g @copilotkit/aimock, or name its llmock with --aimock)"
)
_STARTS_WITHIN_S = 30


def command_of(given: str | None) -> str | None:
    """The command that starts it: the one that is named, else one on the path."""
    if given is not None:
        return given
    return next((found for name in COMMANDS if (found := shutil.which(name))), None)


@attrs.define
class Aimock:
    """It, running: where it is, and its journal as far as it was read."""

    url: str
    received: list[Received] = attrs.field(factory=list)
    answered: list[Mapping[str, Any]] = attrs.field(factory=list)

    async def catch_up(self) -> None:
        """Read on in its journal."""
        async with httpx2.AsyncClient(trust_env=False) as client:
            entries = (await client.get(f"{self.url}/_requests")).json()
        for entry in entries[len(self.received) :]:
            size = int(entry["headers"].get("content-length", 0))
            self.received.append(Received(entry["path"], size, entry["headers"], entry["body"]))
            calls = entry["response"].get("fixture", {}).get("response", {}).get("toolCalls", ())
            items = [{"type": "function_call", "name": call["name"]} for call in calls]
            self.answered.append({"output": items})


@asynccontextmanager
async def aimock(command: str, folder: Path, catalog: QaCatalog) -> AsyncIterator[Aimock]:
    """Start it with what it is to play. Raises ToolsearchError where it does not start."""
    fixtures = _written(folder, catalog)
    port = _free_port()
    process = await asyncio.create_subprocess_exec(
        *(command, "--port", str(port), "--fixtures", str(fixtures), "--strict"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _ready(process, port)
        yield Aimock(f"http://127.0.0.1:{port}/v1")
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _written(folder: Path, catalog: QaCatalog) -> Path:
    """Search, describe, call; then, where the receipt came back, the answer."""
    target = {"id": catalog.target_id}
    steps: list[tuple[str, Mapping[str, Any]]] = [
        ("tool_search", {"query": catalog.what}),
        ("tool_describe", target),
        ("tool_call", {**target, "args": dict(GIVEN)}),
    ]
    played = [
        {
            "match": {"userMessage": catalog.what, "turnIndex": turn},
            "response": {"toolCalls": [{"name": name, "arguments": json.dumps(arguments)}]},
        }
        for turn, (name, arguments) in enumerate(steps)
    ]
    end = {
        "match": {
            "userMessage": catalog.what,
            "turnIndex": len(steps),
            "toolResultContains": catalog.receipt,
        },
        "response": {"content": f"Done: {catalog.receipt}"},
    }
    folder.mkdir(parents=True)
    file = folder / "fixtures.json"
    file.write_text(json.dumps({"fixtures": [end, *played]}), encoding="utf-8")
    return file


async def _ready(process: asyncio.subprocess.Process, port: int) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        for _ in range(_STARTS_WITHIN_S * 10):
            if process.returncode is not None:
                break
            try:
                await client.get(f"http://127.0.0.1:{port}/v1/models")
            except httpx2.TransportError:
                await asyncio.sleep(0.1)
            else:
                return
    raise ToolsearchError("aimock did not start")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
