"""The commands `approvals …`."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from toolsearch_hookspecs import Approve, ConfigError, Reject

from .approvals_of import Desk, Shown, call, command, ran, request, tool


@pytest.fixture
async def asked(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    yield asked
    desk.store.answer(asked.id, Reject(by="the test"))
    await waiting


async def test_list_shows_what_waits(desk, asked):
    code, shown = await ran(desk.context, "approvals list")
    assert code == 0
    assert [one["id"] for one in shown.data[0]] == [asked.id]
    first, second = shown.texts[0].splitlines()
    assert first.startswith(f"{asked.id}  pending, ")
    assert second == "  mcp:github:create_issue, for default"
    assert max(len(first), len(second)) <= 80
    desk.store.answer(asked.id, Approve(by="ann"))
    assert (await ran(desk.context, "approvals list"))[1].data == [[]]
    assert (await ran(desk.context, "approvals list", all=True))[1].data[0][0][
        "state"
    ] == "approved"


async def test_show_has_the_arguments_the_reasons_and_the_trust(desk, asked):
    _, shown = await ran(desk.context, "approvals show", id=asked.id)
    for said in (
        '"title": "Crash"',
        "policy-rules: level global",
        "(untrusted)",
        "npx github-server",
    ):
        assert said in shown.texts[0]


async def test_a_unique_beginning_of_an_id_is_enough(desk, asked):
    _, shown = await ran(desk.context, "approvals show", id=asked.id[:-2])
    assert shown.data[0]["id"] == asked.id
    for name in ("approvals show", "approvals approve", "approvals deny"):
        with pytest.raises(ConfigError, match="no request begins with 'nothing'"):
            await ran(desk.context, name, id="nothing")


async def test_an_ambiguous_beginning_is_refused(desk, asked):
    other = request()
    waiting = desk.ask(other)
    await desk.pending(2)
    with pytest.raises(ConfigError, match="2 requests begin with"):
        await ran(desk.context, "approvals approve", id="req")
    desk.store.answer(other.id, Reject(by="ann"))
    await waiting


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scope": "forever"}, "once, session, always"),
        ({"arguments": "{"}, "not JSON"),
        ({"arguments": "[1]"}, "not a JSON object"),
    ],
)
async def test_an_answer_that_cannot_be_meant_is_refused(desk, asked, given, message):
    with pytest.raises(ConfigError, match=message):
        await ran(desk.context, "approvals approve", id=asked.id, **given)
    assert desk.store.request(asked.id).state == "pending"


async def test_grants_are_listed_and_revoked(desk, asked):
    await ran(desk.context, "approvals approve", id=asked.id, scope="always", by="ann")
    _, shown = await ran(desk.context, "approvals grants")
    assert "always" in shown.texts[0]
    assert "ann" in shown.texts[0]
    await ran(desk.context, "approvals revoke", all=True)
    assert (await ran(desk.context, "approvals grants"))[1].texts == ["no standing grants"]
    assert "revoked" in (await ran(desk.context, "approvals grants", all=True))[1].texts[0]
    with pytest.raises(ConfigError, match="no grant 7"):
        await ran(desk.context, "approvals revoke", id=7)
    with pytest.raises(ConfigError, match="give --all"):
        await ran(desk.context, "approvals revoke")


async def test_watch_shows_requests_as_they_come(desk, asked):
    shown = Shown()
    watching = asyncio.create_task(command(desk.context, "approvals watch").run(shown, {}))
    async with asyncio.timeout(20):
        assert "shown here as they come" in await shown.arrived.get()
        assert f"approvals approve {asked.id}" in await shown.arrived.get()
        other = request()
        waiting = desk.ask(other)
        assert f"approvals approve {other.id}" in await shown.arrived.get()
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    desk.store.answer(other.id, Reject(by="ann"))
    await waiting


async def test_the_text_of_a_tool_cannot_steer_the_terminal(tmp_path):
    desk = Desk(tmp_path)
    sly = call(tool(origin="\x1b[2J\u202eevil"), {"title": "\x9b31m\x1b]0;x"}, agent="\x1b[31m")
    waiting = desk.ask(asked := request(sly))
    await desk.pending()
    for name, given in (("approvals list", {}), ("approvals show", {"id": asked.id})):
        text = (await ran(desk.context, name, **given))[1].texts[0]
        assert not any(char in text for char in "\x1b\u202e\x9b")
    desk.store.answer(asked.id, Reject(by="ann"))
    await waiting
    await desk.close()


async def test_long_arguments_are_cut_and_said(tmp_path):
    desk = Desk(tmp_path)
    waiting = desk.ask(asked := request(call(arguments={"title": "x" * 9000})))
    await desk.pending()
    text = (await ran(desk.context, "approvals show", id=asked.id))[1].texts[0]
    assert "more characters" in text
    assert len(text) < 6000
    desk.store.answer(asked.id, Reject(by="ann"))
    await waiting
    await desk.close()


async def test_two_reasons_for_one_denial_are_refused(desk, asked):
    with pytest.raises(ConfigError, match="are the same"):
        await ran(desk.context, "approvals deny", id=asked.id, reason="a", message="b")
    assert desk.store.request(asked.id).state == "pending"
