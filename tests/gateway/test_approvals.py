"""Approvals: answered by the operator over HTTP, never by an app."""

import asyncio

import httpx2

from toolsearch_gateway_openai.provider import Call, Say

from .conftest import ADD, APP_KEY, OPERATOR_KEY, adder
from .test_chat import ask

ASKING = {"tools": {"toolSearch": {"mode": "tools"}, "ask": ["add"]}}
OPERATOR = {"authorization": f"Bearer {OPERATOR_KEY}"}


def told(seen):
    return Say(seen.told[-1].text)


async def pending(client, url):
    """The first approval that waits."""
    while not (waiting := (await client.get(f"{url}/approvals", headers=OPERATOR)).json()["data"]):
        await asyncio.sleep(0.02)
    return waiting[0]


async def test_an_approved_call_goes_on(served, scripted):
    source = adder()
    gateway = await served(scripted(Call(ADD), told), source, config=ASKING)
    async with httpx2.AsyncClient() as client:
        answer = asyncio.ensure_future(ask(gateway))
        waiting = await pending(client, gateway.url)
        assert source.calls == []
        assert waiting["tool"]["id"] == "plugin:sums:add"
        assert waiting["arguments"] == {"a": 1, "b": 2}
        place = f"{gateway.url}/approvals/{waiting['id']}"
        assert (await client.get(place, headers=OPERATOR)).json() == waiting
        given = await client.post(place, headers=OPERATOR, json={"decision": "approve"})
        assert given.status_code == 200
    assert '"result":3' in (await answer).choices[0].message.content
    assert len(source.calls) == 1


async def test_edited_arguments_are_what_is_executed(served, scripted):
    source = adder()
    gateway = await served(scripted(Call(ADD), told), source, config=ASKING)
    async with httpx2.AsyncClient() as client:
        answer = asyncio.ensure_future(ask(gateway))
        place = f"{gateway.url}/approvals/{(await pending(client, gateway.url))['id']}"
        edited = {"decision": "approve", "arguments": {"a": 10, "b": 2}}
        await client.post(place, headers=OPERATOR, json=edited)
    assert '"result":12' in (await answer).choices[0].message.content


async def test_a_denied_call_is_a_blocked_result(served, scripted):
    source = adder()
    gateway = await served(scripted(Call(ADD), told), source, config=ASKING)
    async with httpx2.AsyncClient() as client:
        answer = asyncio.ensure_future(ask(gateway))
        place = f"{gateway.url}/approvals/{(await pending(client, gateway.url))['id']}"
        denied = {"decision": "deny", "message": "not today"}
        await client.post(place, headers=OPERATOR, json=denied)
        said = (await answer).choices[0].message.content
        assert (await client.post(place, headers=OPERATOR, json=denied)).status_code == 404
    assert '"code":"blocked"' in said
    assert "not today" in said
    assert source.calls == []


async def test_an_apps_key_opens_no_approvals(served, scripted):
    gateway = await served(scripted(Say("hello")), adder())
    async with httpx2.AsyncClient() as client:
        for headers in ({}, {"authorization": f"Bearer {APP_KEY}"}):
            refused = await client.get(f"{gateway.url}/approvals", headers=headers)
            assert refused.status_code == 401
            assert refused.json()["error"]["code"] == "invalid_api_key"


async def test_a_waiting_approval_keeps_a_streamed_answer_alive(served, scripted):
    gateway = await served(
        scripted(Call(ADD), told), adder(), config=ASKING, settings={"keepAliveMs": 30}
    )
    body = {"model": "m", "messages": [{"role": "user", "content": "add"}], "stream": True}
    headers = {"authorization": f"Bearer {APP_KEY}"}
    async with (
        httpx2.AsyncClient() as client,
        client.stream(
            "POST", f"{gateway.url}/v1/chat/completions", json=body, headers=headers
        ) as answer,
    ):
        lines = answer.aiter_lines()
        comments = []
        while len(comments) < 3:
            comments += [line async for line in one(lines) if line]
        assert comments == [": waiting"] * 3
        place = f"{gateway.url}/approvals/{(await pending(client, gateway.url))['id']}"
        await client.post(place, headers=OPERATOR, json={"decision": "approve"})
        rest = [line async for line in lines]
    assert rest[-2:] == ["data: [DONE]", ""] or rest[-1] == "data: [DONE]"
    assert "result" in "".join(rest)


async def one(lines):
    """The next line alone."""
    async for line in lines:
        yield line
        return
