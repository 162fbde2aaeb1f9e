"""Servers that take long to start, as those that `npx` downloads first: nothing kills them early."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from toolsearch.host import Host
from toolsearch_hookspecs import SourceUnavailable

ROGUE = Path(__file__).with_name("rogue.py")


async def why_not(servers, source):
    """What a person is told of a server that has no tools to list."""
    with pytest.raises(SourceUnavailable) as raised:
        await servers.listing(source)
    return str(raised.value), "\n".join(getattr(raised.value, "__notes__", ()))


async def test_a_server_not_up_when_a_run_stops_waiting_goes_on_and_its_tools_come(servers):
    starts, there = servers.folder / "starts", servers.folder / "there"
    source = await servers.rogue("--starts", starts, "--until", there, sourceTimeoutMs=300)
    said, clue = await why_not(servers, source)
    assert said == "it is still starting"
    assert "`startTimeoutMs` of its entry in mcpServers" in clue
    assert "tools.limits.sourceTimeoutMs for every server" in clue
    assert "for up to 120 s" in clue
    async with asyncio.timeout(60):
        while "its last words: downloading the rest" not in clue:
            await asyncio.sleep(0.05)
            _, clue = await why_not(servers, source)
    there.touch()
    async with asyncio.timeout(60):
        assert await servers.changes.get() == "rogue"
    assert "echo" in await servers.names(source)
    assert len(starts.read_text().split()) == 1


async def test_a_server_that_hangs_holds_up_one_run_and_not_every_run(servers):
    source = await servers.rogue("--mute", sourceTimeoutMs=4_000)
    loop = asyncio.get_running_loop()
    await why_not(servers, source)
    asked = loop.time()
    for _ in range(3):
        said, _ = await why_not(servers, source)
        assert said == "it is still starting"
    assert loop.time() - asked < 3


async def test_a_start_that_takes_longer_than_it_may_says_how_long_that_was(servers):
    source = await servers.rogue("--mute", server={"startTimeoutMs": 200})
    said, _ = await why_not(servers, source)
    assert said == "it did not answer within 0.2 s"


async def test_closing_in_the_middle_of_a_start_leaves_no_process(servers, alive):
    starts, never = servers.folder / "starts", servers.folder / "never"
    source = await servers.rogue("--starts", starts, "--until", never, sourceTimeoutMs=300)
    await why_not(servers, source)
    await servers.until(lambda: starts.exists() and starts.read_text())
    await source.aclose()
    assert not alive(int(starts.read_text()))


async def test_a_run_waits_for_a_server_as_long_as_its_own_settings_let_it_start(tmp_path):
    config = {
        "tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 300}},
        "mcpServers": {
            "slow": {
                "command": sys.executable,
                "args": [str(ROGUE), "--sleep", "1.5"],
                "startTimeoutMs": 120_000,
            }
        },
    }
    async with Host.from_config(config, state_dir=tmp_path) as host, await host.plan() as run:
        assert "mcp:slow:echo" in run.catalog.by_id
        assert run.diagnostics == ()
