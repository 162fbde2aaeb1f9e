"""A policy that changes its mind in the middle of a session, while no source changes."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp_types import ElicitResult

from toolsearch_hookspecs import PolicyAnswer, Ruling, hookimpl

both_eras = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])


class Gate:
    """Denies the tools whose names are in `closed` now."""

    def __init__(self) -> None:
        self.closed: set[str] = set()

    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments) -> PolicyAnswer:
        denied = {tool.id: Ruling(reason="closed") for tool in tools if tool.name in self.closed}
        return PolicyAnswer(denied=denied)


@pytest.fixture
def gate(serving):
    serving.config["tools"]["alwaysVisible"] = ["read_note", "write_note", "wait"]
    made = Gate()
    serving.plugins = [("gate", made)]
    return made


async def names(client) -> set[str]:
    listed = (await client.list_tools(cache_mode="bypass")).tools
    return {tool.name for tool in listed if not tool.name.startswith("tool_")}


@both_eras
@pytest.mark.parametrize("mode", ["tools", "directory"])
async def test_a_closed_tool_is_gone_from_the_next_list_and_comes_back(serving, gate, era, mode):
    async with serving.client(era=era, who={"mode": mode}) as client:
        assert await names(client) == {"read_note", "write_note", "wait"}
        gate.closed = {"write_note"}
        assert await names(client) == {"read_note", "wait"}
        listed = (await client.list_tools(cache_mode="bypass")).tools
        assert "write_note" not in json.dumps([tool.model_dump() for tool in listed])
        gate.closed = set()
        assert await names(client) == {"read_note", "write_note", "wait"}


async def test_in_direct_mode_a_closed_tool_is_gone_and_comes_back(serving, gate):
    async with serving.client(who={"mode": "direct"}) as client:
        all_of_them = await names(client)
        gate.closed = {"drop_notes"}
        assert await names(client) == all_of_them - {"drop_notes"}
        gate.closed = set()
        assert await names(client) == all_of_them


class Ears:
    """Hears that the list of tools is another."""

    def __init__(self) -> None:
        self.heard = asyncio.Event()

    async def listen(self, message) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            self.heard.set()

    async def told(self) -> None:
        async with asyncio.timeout(60):
            await self.heard.wait()
        self.heard.clear()


async def test_a_client_is_told_when_the_server_notices_that_a_tool_was_closed_or_opened(
    serving, gate
):
    ears = Ears()
    async with serving.client(message_handler=ears.listen) as client:
        await names(client)
        gate.closed = {"write_note"}
        blocked = await client.call_tool("write_note", {"name": "a", "text": "t"})
        assert blocked.is_error
        await ears.told()
        assert await names(client) == {"read_note", "wait"}
        gate.closed = set()
        await client.call_tool("tool_search", {"query": "note"})
        await ears.told()
        assert await names(client) == {"read_note", "write_note", "wait"}
    assert serving.log() == []


async def test_a_listening_client_of_the_2026_revision_is_told_as_well(serving, gate):
    async with serving.client(era="2026-07-28") as client:
        await names(client)
        async with client.listen(tools_list_changed=True) as changes:
            gate.closed = {"write_note"}
            await client.call_tool("read_note", {"name": "a"})
            async with asyncio.timeout(60):
                async for _ in changes:
                    break
        assert await names(client) == {"read_note", "wait"}


async def test_a_client_is_told_of_what_the_list_of_another_with_the_same_run_showed(serving, gate):
    async with (
        serving.front() as server,
        serving.connected(server, era="2026-07-28") as one,
        serving.connected(server, era="2026-07-28") as other,
    ):
        await names(one)
        async with one.listen(tools_list_changed=True) as changes:
            gate.closed = {"write_note"}
            assert await names(other) == {"read_note", "wait"}
            async with asyncio.timeout(60):
                async for _ in changes:
                    break
        assert await names(one) == {"read_note", "wait"}


@both_eras
async def test_calls_under_way_go_on_when_a_tool_is_closed(serving, gate, until, era):
    serving.config["tools"]["alwaysVisible"] += ["held"]
    async with serving.client(era=era) as client:
        await names(client)
        held = asyncio.create_task(client.call_tool("held", {}))
        await until(lambda: "held" in serving.log())
        gate.closed = {"write_note", "held"}
        assert await names(client) == {"read_note", "wait"}
        assert (await client.call_tool("held", {})).is_error
        assert not held.done()
        await client.call_tool("read_note", {"name": "let go"})
        assert "let go" in (await held).content[0].text


async def test_what_was_kept_of_a_long_result_can_be_read_on_after_a_change(serving, gate):
    async with serving.client() as client:
        await names(client)
        call = {"id": "long_note", "args": {"size": 200_000}}
        note = json.loads((await client.call_tool("tool_call", call)).content[0].text)["note"]
        gate.closed = {"write_note"}
        assert await names(client) == {"read_note", "wait"}
        there = json.loads(note[note.index("{") :])
        there = {"id": "openclaw:toolsearch:read_result", "args": there}
        assert "xxx" in (await client.call_tool("tool_call", there)).content[0].text


async def test_an_approval_that_waits_is_answered_after_a_change(serving, gate):
    serving.config["tools"]["ask"] = ["write_note"]

    async def answer(context, params) -> ElicitResult:
        gate.closed = {"drop_notes", "read_note"}
        assert await names(client) == {"write_note", "wait"}
        return ElicitResult(action="accept", content={"decision": "approve once"})

    async with serving.client(era="2026-07-28", elicitation_callback=answer) as client:
        assert await names(client) == {"read_note", "write_note", "wait"}
        result = await client.call_tool("write_note", {"name": "a", "text": "hello"})
    assert not result.is_error
    assert serving.log() == ["write a hello"]


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_client_that_comes_later_is_told_of_no_closed_tool(serving, gate, era):
    async with serving.front(mode="directory") as server:
        async with serving.connected(server, era=era) as first:
            assert "drop_notes" in first.instructions
        gate.closed = {"drop_notes"}
        async with serving.connected(server, era=era) as second:
            assert "long_note" in second.instructions
            assert "drop_notes" not in second.instructions
