"""Who is let in, and as whom."""

import logging

import httpx2
import openai
import pytest

from toolsearch_gateway_openai.provider import Call, Say
from toolsearch_hookspecs import ConfigError

from ..conftest import ListSource
from .conftest import ADD, APP_KEY, ENVIRON, OPERATOR_KEY, adder
from .test_chat import ask

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
APP = {"authorization": f"Bearer {APP_KEY}"}
OTHER_KEY = "another-key-of-the-tests"
TWO_APPS = {
    "apps": {
        "desk": {"variable": "DESK_KEY", "agent": "clerk", "mode": "direct"},
        "shop": {"variable": "SHOP_KEY", "agent": "seller", "profile": "small"},
    }
}
TWO_KEYS = {**ENVIRON, "DESK_KEY": APP_KEY, "SHOP_KEY": OTHER_KEY}


async def post(served, headers, **more):
    async with httpx2.AsyncClient() as client:
        path = f"{served.url}/v1/chat/completions"
        return await client.post(path, headers=headers, **{"json": CHAT, **more})


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Bearer {OPERATOR_KEY}"}],
    ids=["none", "wrong", "operator"],
)
async def test_nobody_is_let_in_without_a_key_of_an_app(served, scripted, headers):
    gateway = await served(scripted(Say("hello")))
    refused = await post(gateway, headers)
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "invalid_api_key"
    assert gateway.provider.received == []


async def test_the_real_client_reads_the_refusal_as_what_it_is(served, scripted):
    gateway = await served(scripted(Say("hello")))
    with pytest.raises(openai.AuthenticationError, match="key of this gateway"):
        await ask(openai_with(gateway, "wrong-key"))


def openai_with(gateway, key):
    gateway.client = gateway.client.with_options(api_key=key)
    return gateway


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80"])
async def test_a_host_name_that_is_not_ours_is_refused(served, scripted, host):
    gateway = await served(scripted(Say("hello")))
    assert (await post(gateway, {**APP, "host": host})).status_code == 421
    assert gateway.provider.received == []


async def test_a_page_of_another_origin_may_not_ask_even_where_no_key_is_needed(served, scripted):
    gateway = await served(scripted(Say("hello")), auth=False)
    refused = await post(gateway, {"origin": "https://evil.example"})
    assert (refused.status_code, gateway.provider.received) == (403, [])
    assert (await post(gateway, {"origin": "http://localhost:3000"})).status_code == 200


async def test_a_body_over_the_bound_is_refused_however_it_is_sent(served, scripted):
    gateway = await served(scripted(Say("hello")), settings={"maxBodyBytes": 1_000})

    async def chunks():
        for _ in range(20):
            yield b" " * 100

    assert (await post(gateway, APP, json=None, content=b" " * 2_000)).status_code == 413
    assert (await post(gateway, APP, json=None, content=chunks())).status_code == 413


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b'{"messages": 1}', b'{"messages": [], "n": 2}', b'{"messages": [], "tools": 1}'],
)
async def test_what_is_no_request_is_refused_in_form(served, scripted, body):
    gateway = await served(scripted(Say("hello")))
    refused = await post(gateway, APP, json=None, content=body)
    assert refused.status_code == 400
    assert refused.json()["error"]["type"] == "invalid_request_error"


async def test_an_unknown_path_is_refused_in_form(served, scripted):
    gateway = await served(scripted(Say("hello")))
    with pytest.raises(openai.NotFoundError, match="/v1/embeddings"):
        await gateway.client.embeddings.create(model="m", input="x")


async def test_the_providers_models_are_listed(served, scripted):
    gateway = await served(scripted(Say("hello")))
    assert [model.id async for model in gateway.client.models.list()] == ["scripted"]


async def test_the_providers_key_goes_to_the_provider_and_the_apps_key_stays_here(served, scripted):
    gateway = await served(scripted(Say("hello")))
    await ask(gateway)
    headers = gateway.provider.received[0].headers
    assert headers["authorization"] == f"Bearer {ENVIRON['OPENAI_API_KEY']}"
    assert APP_KEY not in str(headers)


async def test_the_apps_own_key_is_passed_on_where_that_is_wanted(served, scripted):
    gateway = await served(scripted(Say("hello")))
    url = gateway.provider.url
    passing = await served(
        scripted(Say("hello")), settings={"upstream": {"baseUrl": url, "passKey": True}}
    )
    theirs = {"authorization": "Bearer the-apps-own-provider-key"}
    assert (await post(passing, theirs)).status_code == 401
    assert (await post(passing, {**theirs, "x-toolsearch-key": APP_KEY})).status_code == 200
    assert gateway.provider.received[0].headers["authorization"] == theirs["authorization"]


async def test_each_app_asks_as_its_own_agent_in_its_own_mode(served, scripted):
    source = adder()
    script = scripted(Say("hello"))
    gateway = await served(script, source, settings=TWO_APPS, environ=TWO_KEYS)
    await ask(gateway)
    await ask(openai_with(gateway, OTHER_KEY))
    declared = [request.declared for request in gateway.provider.received]
    assert declared == [["add"], ["tool_search", "tool_describe", "tool_call"]]
    runs = source.listed[-2:]
    assert [run.agent for run in runs] == ["clerk", "seller"]
    assert [run.profile for run in runs] == [None, "small"]
    assert {run.channel for run in runs} == {"gateway"}


async def test_sessions_of_two_apps_never_meet(served, scripted):
    source = adder()
    gateway = await served(scripted(Say("hello")), source, settings=TWO_APPS, environ=TWO_KEYS)
    for key in (APP_KEY, OTHER_KEY):
        await ask(openai_with(gateway, key), extra_headers={"x-toolsearch-session": "s1"})
    sessions = [run.session for run in source.listed[-2:]]
    assert len(set(sessions)) == 2
    assert {session.rpartition("/")[2] for session in sessions} == {"s1"}
    assert APP_KEY not in str(sessions)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"extra_headers": {"x-toolsearch-session": "h"}, "user": "u"}, "h"),
        ({"metadata": {"session_id": "m"}, "user": "u"}, "m"),
        ({"user": "u"}, "u"),
        ({}, None),
    ],
)
async def test_a_session_is_named_by_header_metadata_or_user(served, scripted, more, named):
    source = adder()
    gateway = await served(scripted(Say("hello")), source)
    await ask(gateway, **more)
    session = source.listed[-1].session
    assert (session and session.rpartition("/")[2]) == named


async def test_one_apps_call_is_not_answered_by_another(served, scripted):
    from .test_chat import PICK

    script = scripted(Call((("pick_file", {"folder": "docs"}),)), Say("done"))
    gateway = await served(script, ListSource("s", {}), settings=TWO_APPS, environ=TWO_KEYS)
    first = await ask(gateway, tools=[PICK])
    message = first.choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "mine"}
    await openai_with(gateway, OTHER_KEY).client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "x"}, message.model_dump(exclude_none=True), result],
        tools=[PICK],
    )
    await gateway.host.plugins.hooks.drain()
    assert gateway.host.events.of("call.ended") == []
    assert len(gateway.gateway.waiting) == 1


async def test_a_harness_with_a_tool_search_of_its_own_gets_plain_tools(served, scripted):
    gateway = await served(scripted(Say("hello")), adder())
    await ask(gateway, extra_headers={"originator": "codex_cli_rs"})
    assert gateway.provider.received[0].declared == ["add"]


async def test_no_key_is_in_any_log(served, scripted, caplog):
    caplog.set_level(logging.DEBUG)
    gateway = await served(scripted(Call(ADD), Say("3")), adder())
    await ask(gateway)
    await post(gateway, {"authorization": "Bearer a-wrong-but-secret-key"})
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert said
    for key in (*ENVIRON.values(), "a-wrong-but-secret-key"):
        assert key not in said


@pytest.mark.parametrize(
    ("environ", "wrong"),
    [
        ({**TWO_KEYS, "SHOP_KEY": "short"}, "at least 16"),
        ({**TWO_KEYS, "SHOP_KEY": APP_KEY}, "the same key"),
        (ENVIRON, "is not set"),
    ],
)
async def test_keys_that_would_not_hold_stop_the_start(served, scripted, environ, wrong):
    with pytest.raises(ConfigError, match=wrong):
        await served(scripted(Say("hello")), settings=TWO_APPS, environ=environ)


async def test_health_is_open_and_metrics_are_the_operators(served, scripted):
    gateway = await served(scripted(Call(ADD), Say("3")), adder())
    await ask(gateway)
    await gateway.host.plugins.hooks.drain()
    async with httpx2.AsyncClient(base_url=gateway.url) as client:
        assert (await client.get("/health")).json() == {"status": "ok"}
        assert (await client.get("/metrics", headers=APP)).status_code == 401
        headers = {"authorization": f"Bearer {OPERATOR_KEY}"}
        lines = (await client.get("/metrics", headers=headers)).text.splitlines()
    assert 'toolsearch_gateway_requests_total{api="chat",status="200"} 1' in lines
    assert "toolsearch_gateway_turns_total 2" in lines
    assert "toolsearch_gateway_hidden_calls_total 1" in lines
    assert 'toolsearch_gateway_tool_calls_total{source="plugin",outcome="ok"} 1' in lines
    (tokens,) = [line for line in lines if 'tokens_total{kind="input"}' in line]
    assert int(tokens.split()[-1]) == sum(r.size // 4 for r in gateway.provider.received)


async def test_one_model_of_the_provider_can_be_looked_at(served, scripted):
    gateway = await served(scripted(Say("hello")))
    assert (await gateway.client.models.retrieve("scripted")).owned_by == "toolsearch"
