"""The server that misbehaves, behind the battery for MCP servers."""

import pytest

from toolsearch.testing import rogue_server

ONLY = ("index-whoosh", "mode-tools", "source-mcp")
LIMITS = {"toolTimeoutMs": 2_000, "sourceTimeoutMs": 30_000}


def config(*flags):
    tools = {"toolSearch": {"mode": "tools"}, "limits": LIMITS}
    return {"tools": tools, "mcpServers": {"rogue": rogue_server(*flags)}}


async def called(host, name):
    run = await host.plan()
    call = {"id": f"mcp:rogue:{name}", "args": {"text": "hello"}}
    return await run.handle("tool_call", call)


@pytest.mark.parametrize("name", ["crash", "hang", "garbage", "huge", "fail", "refuse"])
async def test_each_of_its_tools_fails_as_a_result_and_leaves_the_next_call_alone(
    toolsearch_host, name
):
    async with toolsearch_host(config(), only=ONLY) as host:
        assert (await called(host, name)).is_error or name == "huge"
        assert "hello" in (await called(host, "echo")).text


async def test_tools_that_nobody_can_take_are_left_out_and_the_rest_stay(toolsearch_host):
    async with toolsearch_host(config("--bad-tools", "--banner"), only=ONLY) as host:
        names = {tool.name for tool in await host.all_tools()}
        assert "echo" in names
        assert not names & {"no_object", "bell\u0007", ""}


@pytest.mark.parametrize("flag", ["--exit"])
async def test_a_server_that_is_gone_is_named(toolsearch_host, flag):
    async with toolsearch_host(config(flag), only=ONLY) as host:
        answer = await called(host, "echo")
        assert answer.error.code == "unavailable"
        assert "rogue" in answer.text
