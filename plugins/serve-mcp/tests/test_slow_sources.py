"""Servers behind that hang or come late: a client is answered without them, and told when they come."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

UPSTREAM = Path(__file__).with_name("upstream.py")
WAIT_FOR = 'while [ ! -e "$0" ]; do sleep 0.1; done; exec "$@"'


def tell(process, **message) -> None:
    process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
    process.stdin.flush()


async def test_a_client_is_greeted_while_a_server_behind_hangs(serving, until):
    pid = serving.folder / "pid"
    hung = {"command": "sh", "args": ["-c", 'echo $$ > "$0"; exec sleep 1000', str(pid)]}
    serving.config["mcpServers"] = {"hung": hung}
    serving.config["tools"]["limits"] = {"sourceTimeoutMs": 300_000}
    process = serving.start(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    about = {"name": "c", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    tell(process, id=1, method="initialize", params=params)
    async with asyncio.timeout(120):
        answer = json.loads(await asyncio.to_thread(process.stdout.readline))
    assert "still starting" in answer["result"]["instructions"]
    await until(lambda: pid.exists() and pid.read_text())
    started = Path("/proc") / pid.read_text().strip()
    process.stdin.close()
    assert await asyncio.to_thread(process.wait, 60) == 0
    await until(lambda: not started.exists())


async def test_a_client_is_told_when_a_server_comes_that_was_not_up_when_it_listed(serving):
    there = serving.folder / "there"
    upstream = [sys.executable, str(UPSTREAM), str(serving.notes)]
    late = {"command": "sh", "args": ["-c", WAIT_FOR, str(there), *upstream]}
    serving.config["mcpServers"] = {"late": late}
    serving.config["tools"]["limits"] = {"sourceTimeoutMs": 300}
    heard = asyncio.Event()

    async def listen(message) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            heard.set()

    async with serving.client(who={"mode": "direct"}, message_handler=listen) as client:
        assert (await client.list_tools()).tools == []
        there.touch()
        async with asyncio.timeout(120):
            await heard.wait()
        names = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
        assert "read_note" in names
