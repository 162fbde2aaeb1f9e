from __future__ import annotations

import asyncio
import json
import re

import pytest
from mcp_types import ElicitResult

both_eras = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])


def text(result) -> str:
    return result.content[0].text


def value(result):
    return json.loads(text(result))


@both_eras
async def test_a_client_searches_describes_and_calls_behind_three_tools(serving, era):
    async with serving.client(era=era) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["tool_search", "tool_describe", "tool_call"]
        hints = {tool.name: tool.annotations for tool in listed}
        assert hints["tool_search"].read_only_hint is True
        assert hints["tool_call"].destructive_hint is True
        hits = value(await client.call_tool("tool_search", {"query": "read a note"}))["hits"]
        assert hits[0]["id"] == "mcp:up:read_note"
        described = value(await client.call_tool("tool_describe", {"id": hits[0]["id"]}))
        assert "name" in described["inputSchema"]["properties"]
        called = await client.call_tool("tool_call", {"id": hits[0]["id"], "args": {"name": "a"}})
        assert value(called)["result"] == "note a"
        again = (await client.list_tools(cache_mode="bypass")).tools
        assert again == listed
    assert serving.log() == ["read a"]


@both_eras
async def test_a_failure_and_an_unknown_tool_are_results_that_the_model_sees(serving, era):
    async with serving.client(era=era) as client:
        failed = await client.call_tool("tool_call", {"id": "test_error_handling", "args": {}})
        assert failed.is_error
        assert value(failed)["error"]["message"] == "test_error_handling"
        unknown = await client.call_tool("no_such_tool", {})
        assert unknown.is_error
        assert value(unknown)["error"]["code"] == "unknown_tool"


async def test_the_directory_stands_in_the_instructions_and_in_the_description_of_search(serving):
    async with serving.client(who={"mode": "directory"}) as client:
        assert "read_note" in client.instructions
        (search,) = [t for t in (await client.list_tools()).tools if t.name == "tool_search"]
        assert "read_note" in search.description


async def test_a_body_of_code_searches_and_calls(serving):
    async with serving.client(who={"mode": "code"}) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        if names != ["tool_search_code"]:
            pytest.skip("no isolated runtime for code here; the mode fell back to tools")
        body = """
            const [hit] = await openclaw.tools.search("read a note");
            return await openclaw.tools.call(hit.id, { name: "b" });
        """
        result = value(await client.call_tool("tool_search_code", {"code": body}))
        assert result["ok"] is True
    assert serving.log() == ["read b"]


async def test_calls_split_by_effect_refuse_what_they_are_not_for(serving):
    serving.config["mcpServers"]["down"] = serving.config["mcpServers"]["up"] | {"trusted": False}
    async with serving.client(who={"split_calls": True}) as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert tools["tool_call_read"].read_only_hint is True
        assert tools["tool_call_write"].destructive_hint is False
        assert tools["tool_call_destructive"].destructive_hint is True
        assert "tool_call" not in tools

        async def through(shown, tool, **args):
            return await client.call_tool(shown, {"id": tool, "args": args})

        assert not (await through("tool_call_read", "mcp:up:read_note", name="a")).is_error
        refused = await through("tool_call_read", "mcp:up:write_note", name="a", text="t")
        assert "call it through tool_call_write" in text(refused)
        assert not (
            await through("tool_call_write", "mcp:up:write_note", name="a", text="t")
        ).is_error
        refused = await through("tool_call_write", "mcp:up:drop_notes")
        assert "call it through tool_call_destructive" in text(refused)
        untrusted = await through("tool_call_read", "mcp:down:read_note", name="b")
        assert "call it through tool_call_destructive" in text(untrusted)
    assert serving.log() == ["read a", "write a t"]


class Person:
    """A client's person, who answers as told and remembers the questions."""

    def __init__(self, decision: str | None) -> None:
        self.decision = decision
        self.questions: list[str] = []

    async def answer(self, context, params) -> ElicitResult:
        self.questions.append(params.message)
        if self.decision is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"decision": self.decision})


CALL = {"id": "write_note", "args": {"name": "a", "text": "hello"}}


@both_eras
@pytest.mark.parametrize(
    ("decision", "executed"), [("approve once", True), ("deny", False), (None, False)]
)
async def test_a_person_is_asked_through_the_client_about_the_real_tool(
    serving, era, decision, executed
):
    serving.config["tools"]["ask"] = ["write_note"]
    person = Person(decision)
    async with serving.client(era=era, elicitation_callback=person.answer) as client:
        result = await client.call_tool("tool_call", CALL)
    assert result.is_error is not executed
    assert serving.log() == (["write a hello"] if executed else [])
    (question,) = person.questions
    assert "mcp:up:write_note" in question
    assert '"text": "hello"' in question


@both_eras
async def test_where_nobody_can_be_asked_the_call_is_blocked(serving, era):
    serving.config |= {"approvals": {"waitMs": 500}}
    serving.config["tools"]["ask"] = ["write_note"]
    async with serving.client(era=era) as client:
        result = await client.call_tool("tool_call", CALL)
    assert value(result)["error"]["code"] == "blocked"
    assert serving.log() == []


async def test_progress_comes_through(serving):
    told = []

    async def progress(done, total, message):
        told.append((done, total))

    async with serving.client() as client:
        await client.call_tool(
            "tool_call", {"id": "test_tool_with_progress", "args": {}}, progress_callback=progress
        )
    assert (100.0, 100.0) in told


@both_eras
async def test_a_cancelled_call_is_cancelled_behind_the_server(serving, until, era):
    async with serving.client(era=era) as client:
        call = {"id": "wait", "args": {}}
        task = asyncio.create_task(client.call_tool("tool_call", call))
        await until(lambda: any(line.startswith("waiting") for line in serving.log()))
        task.cancel()
        await until(lambda: "cancelled" in serving.log())


async def test_a_changed_catalog_is_announced_only_where_the_surface_shows_it(serving):
    heard = asyncio.Event()

    async def listen(message):
        if type(message).__name__ == "ToolListChangedNotification":
            heard.set()

    async with serving.client(who={"mode": "direct"}, message_handler=listen) as client:
        await client.call_tool("grow", {})
        async with asyncio.timeout(30):
            while not heard.is_set():
                await client.call_tool("test_simple_text", {})
        assert "grown" in {tool.name for tool in (await client.list_tools()).tools}
    heard.clear()
    async with serving.client(who={"mode": "tools"}, message_handler=listen) as client:
        await client.call_tool("grow", {})
        async with asyncio.timeout(30):
            while "grown" not in text(await client.call_tool("tool_search", {"query": "grown"})):
                pass
        assert not heard.is_set()


CONTROLS = ("tool_search", "tool_describe", "tool_call", "tool_search_code")


@pytest.mark.parametrize("who", [{"mode": "tools"}, {"mode": "code"}, {"mode": "direct"}])
@pytest.mark.parametrize("split", [False, True])
async def test_the_instructions_name_the_control_tools_that_are_shown_and_no_others(
    serving, who, split
):
    async with serving.client(who={**who, "split_calls": split}) as client:
        shown = {tool.name for tool in (await client.list_tools()).tools}
        named = set(re.findall(r"tool_[a-z_]+", client.instructions or ""))
        assert named <= shown
        controls = {name for name in shown if name.startswith(CONTROLS)}
        assert bool(named) == bool(controls)
