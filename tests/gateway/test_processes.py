"""The commands as processes of their own."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import httpx2
import openai
import pytest
from openai import AsyncOpenAI

from toolsearch_gateway_openai.provider import Call, Provider, Refuse, Say, serving
from toolsearch_gateway_openai.qa._log import logged_runs
from toolsearch_gateway_openai.qa._process import gateway_process

MEAN = {"id": "plugin:statistics:mean", "args": {"data": [1, 2, 6]}}
SLEEP = {"id": "plugin:time:sleep", "args": {"seconds": 600}}


def config(provider, **tools):
    return {
        "tools": {"toolSearch": {"mode": "tools"}, **tools},
        "plugins": {
            "enabled": ["gateway-openai", "surface-openai"],
            "settings": {
                "gateway-openai": {"upstream": {"baseUrl": provider.url, "retries": 0}},
                "source-python": {
                    "modules": ["statistics", {"module": "time", "functions": ["sleep"]}]
                },
            },
        },
    }


@pytest.fixture
async def provider(scripted):
    async with serving(Provider(scripted(Say("hello")))) as provider:
        yield provider


def client_of(gateway):
    return AsyncOpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.keys["app"], max_retries=0)


def starting(tmp_path, provider, name="gateway", **tools):
    python = Path(sys.executable)
    return gateway_process(python, tmp_path / name, config(provider, **tools), {"app": "tools"})


async def asked(client, **more):
    return await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "go"}], **more
    )


async def process(*arguments, env=None):
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "toolsearch", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
    )
    out, err = await started.communicate()
    return started.returncode, out.decode(), err.decode()


async def test_a_gateway_answers_and_keeps_its_log_and_holds_no_key_in_it(
    tmp_path, provider, scripted
):
    provider.script = scripted(
        Call((("tool_search", {"query": "mean of numbers"}),)),
        Call((("tool_call", MEAN),)),
        lambda seen: Say(f"{json.loads(seen.told[-1].text)['result']}"),
    )
    async with starting(tmp_path, provider) as gateway, client_of(gateway) as client:
        named = {"x-toolsearch-session": "s"}
        answer = await asked(client, extra_headers=named)
        assert answer.choices[0].message.content == "3"
    run = logged_runs(gateway.log)["s"]
    assert (run.searches, len(run.calls), run.final["tool"]) == (1, 1, MEAN["id"])
    assert run.ended["calls"] == 1
    written = gateway.log.read_text()
    assert "mean of numbers" not in written
    assert gateway.keys["app"] not in written


async def streamed_until_called(client, called):
    """Start a streamed request whose tool hangs; gives the stream once the tool has been called."""
    stream = await asked(client, stream=True)
    first = await anext(aiter(stream))
    assert first.choices[0].delta.content
    return stream


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_a_gateway_that_is_ended_in_mid_stream_leaves_a_clean_error_and_nothing_twice(
    tmp_path, provider, scripted, how
):
    provider.script = scripted(Call((("tool_call", SLEEP),), text="One moment."), Say("never"))
    async with starting(tmp_path, provider) as gateway, client_of(gateway) as client:
        stream = await streamed_until_called(client, gateway)
        await until_logged(gateway, "call.started")
        os.kill(gateway.pid, how)
        clean = {
            signal.SIGTERM: (openai.APIError, "the gateway is stopping"),
            signal.SIGINT: (openai.APIError, "the gateway is stopping"),
            signal.SIGKILL: (openai.APIConnectionError, "Connection error"),
        }
        error, words = clean[how]
        with pytest.raises(error, match=words):
            async for _ in stream:
                pass
    asked_before = len(provider.received)
    async with starting(tmp_path, provider, "again") as again, client_of(again) as client:
        provider.script = scripted(Say("hello again"))
        assert (await asked(client)).choices[0].message.content == "hello again"
    assert len(provider.received) == asked_before + 1
    logged = logged_runs(gateway.log)
    assert logged.pop("gateway-start").calls == []
    (run,) = logged.values()
    assert run.started == 1
    if how is not signal.SIGKILL:
        # It had the time to write what became of the call.
        assert [(call["code"], call["executed"]) for call in run.calls] == [("cancelled", True)]
        assert run.ended["calls"] == 1
    else:
        assert (run.calls, run.ended) == ([], {})


async def until_logged(gateway, type):
    while type not in (gateway.log.read_text() if gateway.log.exists() else ""):
        await asyncio.sleep(0.02)


async def test_an_approval_of_the_gateway_is_answered_from_another_terminal(
    tmp_path, provider, scripted
):
    provider.script = scripted(Call((("tool_call", MEAN),)), lambda seen: Say(seen.told[-1].text))
    async with starting(tmp_path, provider, ask=["mean"]) as gateway, client_of(gateway) as client:
        answer = asyncio.ensure_future(asked(client))
        headers = {"authorization": f"Bearer {gateway.operator_key}"}
        async with httpx2.AsyncClient(headers=headers) as operator:
            while not (found := (await operator.get(f"{gateway.url}/approvals")).json()["data"]):
                await asyncio.sleep(0.05)
        env = {**os.environ, "TOOLSEARCH_STATE_DIR": str(gateway.state)}
        base = ("--config", str(gateway.folder / "toolsearch.json5"))
        code, out, err = await process(*base, "approvals", "approve", found[0]["id"], env=env)
        assert code == 0, out + err
        assert '"result":3' in (await answer).choices[0].message.content


async def test_ask_answers_on_the_output_and_shows_progress_beside_it(tmp_path, provider, scripted):
    provider.script = scripted(
        Call((("tool_search", {"query": "mean"}),)),
        Call((("tool_call", MEAN),)),
        Say("It is three."),
    )
    file = tmp_path / "ask.json5"
    file.write_text(json.dumps(config(provider)))
    env = {**os.environ, "TOOLSEARCH_STATE_DIR": str(tmp_path / "state"), "OPENAI_API_KEY": "k"}
    base = ("--config", str(file), "ask", "what is the mean?", "--model", "m")
    code, out, err = await process(*base, env=env)
    assert (code, out) == (0, "It is three.\n"), err
    lines = err.splitlines()
    assert lines[0].startswith("· tools: the model sees 3 tools, with ")
    assert any(line.startswith("· searched: ") for line in lines)
    assert f"→ {MEAN['id']}" in lines
    assert any(line.startswith(f"← {MEAN['id']}: done") for line in lines)
    provider.script = scripted(Say("It is three."))
    code, out, err = await process(*base, "--json", "--responses", env=env)
    assert json.loads(out)["output"][0]["content"][0]["text"] == "It is three."


async def test_ask_fails_with_the_providers_words(tmp_path, provider, scripted):
    provider.script = scripted(Refuse(401, "that key is no key"))
    file = tmp_path / "ask.json5"
    file.write_text(json.dumps(config(provider)))
    code, out, err = await process("--config", str(file), "ask", "hello", "--model", "m")
    assert (code, out) == (1, "")
    assert "that key is no key" in err


@pytest.mark.slow
async def test_qa_proves_the_whole_system():
    code, out, err = await process("--enable", "gateway-openai", "qa", "--json")
    told = json.loads(out)
    failed = [row for row in told["rows"] if not row.get("holds", True)]
    assert (code, failed) == (0, []), err
    proven = {
        row["lane"]: {proof["number"] for proof in row["proofs"]}
        for row in told["rows"]
        if "proofs" in row
    }
    assert proven["direct"] == {"1", "3", "6"}
    for mode in ("tools", "directory"):
        assert proven[mode] == {"2", "4", "5", "6"}
    other = next(row for row in told["rows"] if row["lane"] == "aimock")
    assert other.get("holds") or "not installed" in other["skipped"]
    wires = [row["wire"] for row in told["rows"] if row["lane"] == "tools"]
    assert wires == ["chat", "chat streamed", "responses", "responses streamed"]


async def test_qa_says_what_it_was_given_wrongly():
    code, _, err = await process("--enable", "gateway-openai", "qa", "--tools", "3")
    assert (code, "17 to 5000" in err) == (2, True)
