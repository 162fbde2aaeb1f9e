"""Being asked to stop, as a process: what is under way ends or is cancelled, and its client told."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

TOKEN = "a-token-of-sixteen-or-more"
SIGNALS = [signal.SIGTERM, signal.SIGINT]
ERAS = ["legacy", "2026-07-28"]


@asynccontextmanager
async def over_http(serving, monkeypatch, era):
    """A client of a process that serves over HTTP, and the process."""
    monkeypatch.setenv("TOOLSEARCH_SERVE_TOKEN", TOKEN)
    address = await asyncio.to_thread(serving.http)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(address, http_client=http), mode=era) as client,
    ):
        await client.list_tools()  # the client would ask for them after its first call
        yield client, serving.processes[-1]


def call(client, name, **arguments):
    given = {"id": name, "args": arguments}
    return asyncio.ensure_future(client.call_tool("tool_call", given))


async def begun(serving, until, word):
    await until(lambda: any(line.startswith(word) for line in serving.log()))


def events(serving, kind):
    (file,) = serving.folder.glob("**/toolsearch-*.jsonl")
    told = [json.loads(line) for line in file.read_text().splitlines()]
    return [each["data"] for each in told if each["type"] == kind]


async def ended(process) -> int:
    return await asyncio.to_thread(process.wait, 30)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("number", SIGNALS)
async def test_over_http_what_soon_ends_is_answered_and_what_does_not_is_cancelled_and_said(
    serving, until, monkeypatch, number, era
):
    async with over_http(serving, monkeypatch, era) as (client, process):
        never, soon = call(client, "wait"), call(client, "rest", seconds=1)
        await begun(serving, until, "waiting")
        await begun(serving, until, "resting")
        process.send_signal(number)
        assert "rested" in (await soon).content[0].text
        result = await never
        assert result.is_error
        assert "the run was closed while the tool ran" in result.content[0].text
        assert await ended(process) == 0
    said = process.stderr.read()
    assert "stopping; 2 calls under way may take 3 s more" in said
    assert "Traceback" not in said
    codes = [each.get("code") for each in events(serving, "call.ended")]
    assert sorted(codes, key=str) == [None, "cancelled"]
    assert len(events(serving, "run.ended")) == len(events(serving, "run.planned"))
    upstream = next(line.split()[1] for line in serving.log() if line.startswith("waiting"))
    await until(lambda: not Path(f"/proc/{upstream}").exists())


@pytest.mark.parametrize("number", SIGNALS)
async def test_over_http_it_ends_soon_although_a_client_listens(serving, monkeypatch, number):
    async with over_http(serving, monkeypatch, "legacy") as (client, process):
        assert (await call(client, "test_simple_text")).content
        process.send_signal(number)
        async with asyncio.timeout(10):
            assert await ended(process) == 0
    assert "stopping" not in process.stderr.read()


async def test_over_http_nobody_begins_anything_once_it_is_asked_to_stop(
    serving, until, monkeypatch
):
    async with over_http(serving, monkeypatch, "legacy") as (client, process):
        never = call(client, "wait")
        await begun(serving, until, "waiting")
        process.send_signal(signal.SIGTERM)
        await until(lambda: "stopping" in process.stderr.readline())
        with pytest.raises((MCPError, httpx2.TransportError)):
            await client.call_tool("tool_call", {"id": "drop_notes", "args": {}})
        process.send_signal(signal.SIGTERM)
        assert (await never).is_error
        assert await ended(process) == 0
    assert "drop" not in serving.log()


@pytest.mark.parametrize("number", SIGNALS)
async def test_over_stdio_a_call_under_way_is_answered_before_the_process_ends(
    serving, until, number
):
    command, *arguments = serving.argv()
    started = StdioServerParameters(command=command, args=arguments, env=dict(serving.environ))
    async with Client(stdio_client(started), mode="legacy") as client:
        await client.list_tools()
        never = call(client, "wait")
        await begun(serving, until, "waiting")
        (own,) = processes_of(arguments)
        os.kill(own, number)
        result = await never
        assert result.is_error
        assert "the run was closed while the tool ran" in result.content[0].text
        await until(lambda: not Path(f"/proc/{own}").exists() or zombie(own))


def processes_of(arguments):
    """The processes whose command line ends in these arguments."""
    wanted = "\0".join(arguments)
    lines = {path.parent.name: path for path in Path("/proc").glob("[0-9]*/cmdline")}
    return [int(pid) for pid, path in lines.items() if read(path).rstrip("\0").endswith(wanted)]


def read(path):
    try:
        return path.read_text()
    except OSError:
        return ""


def zombie(pid):
    return ") Z" in read(Path(f"/proc/{pid}/stat"))


@pytest.mark.parametrize("number", SIGNALS)
async def test_a_process_that_is_still_starting_ends_what_it_started(serving, until, number):
    serving.config["mcpServers"]["up"]["args"].append("--silent")
    process = serving.start("--http", "--port", "0", stderr=subprocess.PIPE)
    await begun(serving, until, "silent")
    upstream = next(line.split()[1] for line in serving.log() if line.startswith("silent"))
    process.send_signal(number)
    assert await ended(process) == 0
    await until(lambda: not Path(f"/proc/{upstream}").exists())
