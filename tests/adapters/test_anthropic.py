"""A loop over Anthropic's own client, and its tool runner, asking a provider on loopback."""

from __future__ import annotations

import asyncio
import json
import threading

import anthropic as client_of_anthropic
import pytest
from anthropic.lib.tools import ToolError

from toolsearch.adapters import anthropic
from toolsearch.testing import awkward_source
from toolsearch_hookspecs import Approve

from .conftest import ONLY, add

CALL = {"id": "plugin:echo:say", "args": {"text": "hello"}}
ASKED = {"model": "m", "max_tokens": 64}


def message(*content, reason=None):
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def use(id_, name, **arguments):
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def text(said):
    return {"type": "text", "text": said}


def streamed(whole, *, ends=True):
    """The events of a message."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        yield {
            "type": "content_block_start",
            "index": index,
            "content_block": {**block, **({"input": {}} if "input" in block else {"text": ""})},
        }
        said = json.dumps(block["input"]) if "input" in block else block["text"]
        kind, key = ("input_json", "partial_json") if "input" in block else ("text", "text")
        for piece in (said[:3], said[3:]):
            delta = {"type": f"{kind}_delta", key: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    if ends:
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}


@pytest.fixture
async def client(provider):
    async with client_of_anthropic.AsyncAnthropic(
        base_url=provider.url, api_key="k", max_retries=0
    ) as client:
        yield client


@pytest.fixture
async def host(toolsearch_host, echo):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "ask": ["ask_say"]}}
    echo.specs["ask_say"] = echo.specs["say"].model_copy(update={"name": "ask_say"})
    echo.functions["ask_say"] = echo.functions["say"]
    async with toolsearch_host(config, echo, only=ONLY) as host:
        yield host


def user():
    return [{"role": "user", "content": "say hello"}]


async def test_the_loop_goes_on_until_the_model_calls_nothing(host, provider, client):
    provider.answers = [
        message(text("So."), use("t1", "tool_search", query="say"), use("t2", "tool_call", id="?")),
        message(use("t3", "tool_call", **CALL)),
        message(text("Do"), text("ne.")),
    ]
    messages = user()
    run = await host.plan()
    done = await anthropic.conversation(client, run, messages, **ASKED)
    assert (done.ended, done.text, len(done.answers)) == ("answered", "Done.", 3)
    assert done.answer.usage.output_tokens == 1
    assert len(provider.requests[0]["tools"]) == 3
    found, wrong = provider.requests[1]["messages"][-1]["content"]
    assert "plugin:echo:say" in found["content"]
    assert wrong["is_error"] is True
    said = provider.requests[2]["messages"][-1]["content"][0]
    assert json.loads(said["content"])["result"] == "hello"
    assert [each["role"] for each in messages] == ["user", "assistant"] * 3


async def test_streamed_answers_are_handed_on_event_by_event(host, provider, client):
    answers = [message(text("So."), use("t1", "tool_call", **CALL)), message(text("Done."))]
    provider.answers = [list(streamed(each)) for each in answers]
    seen = []
    messages = user()
    done = await anthropic.conversation(
        client, await host.plan(), messages, on_chunk=seen.append, **ASKED
    )
    assert (done.ended, done.text) == ("answered", "Done.")
    assert seen == [event for events in done.answers for event in events]
    assert messages[1]["content"] == answers[0]["content"]
    assert json.loads(messages[2]["content"][0]["content"])["result"] == "hello"


async def test_a_turn_that_the_provider_paused_is_gone_on_with(host, provider, client):
    paused = message(text("Looking."), reason="pause_turn")
    provider.answers = [paused, message(text("Done."))]
    messages = user()
    done = await anthropic.conversation(client, await host.plan(), messages, **ASKED)
    assert (done.ended, done.text) == ("answered", "Done.")
    assert provider.requests[1]["messages"][-1]["content"] == paused["content"]


@pytest.mark.parametrize(
    "answer",
    [
        message(use("t1", "tool_call", **CALL), reason="max_tokens"),
        message(use("t1", "tool_call", **CALL), reason="refusal"),
        list(streamed(message(use("t1", "tool_call", **CALL)), ends=False)),
    ],
    ids=["too long", "refused", "stream broken off"],
)
async def test_an_answer_that_was_cut_is_not_carried_out(host, provider, client, echo, answer):
    provider.answers = [answer]
    messages = user()
    on_chunk = (lambda event: None) if isinstance(answer, list) else None
    done = await anthropic.conversation(
        client, await host.plan(), messages, on_chunk=on_chunk, **ASKED
    )
    assert (done.ended, done.step, messages) == ("cut", None, user())
    assert echo.calls == []


async def test_an_error_of_the_client_passes_and_leaves_the_conversation_sound(
    host, provider, client
):
    provider.answers = [message(use("t1", "tool_call", **CALL))]
    messages = user()
    run = await host.plan()
    with pytest.raises(client_of_anthropic.InternalServerError, match="no answer is left"):
        await anthropic.conversation(client, run, messages, **ASKED)
    provider.answers = [message(text("Done."))]
    assert (await anthropic.conversation(client, run, messages, **ASKED)).text == "Done."
    assert messages[2]["content"][0]["tool_use_id"] == "t1"


async def test_a_call_that_is_under_way_is_cancelled_with_the_loop(host, provider, client, echo):
    begun, ended = asyncio.Event(), asyncio.Event()

    async def say(text):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    echo.functions["say"] = say
    provider.answers = [message(use("t1", "tool_call", **CALL))]
    messages = user()
    task = asyncio.create_task(anthropic.conversation(client, await host.plan(), messages, **ASKED))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert messages == user()


async def test_a_call_that_waits_ends_the_loop_or_is_settled(host, provider, client, echo):
    asked = use("t1", "tool_call", id="ask_say", args={"text": "hello"})
    provider.answers = [message(asked), message(asked), message(text("Done."))]
    messages = user()
    run = await host.plan(approvals="return")
    waiting = await anthropic.conversation(client, run, messages, **ASKED)
    assert (waiting.ended, messages) == ("waits", user())
    (request,) = waiting.step.pending
    messages += waiting.step.answered(
        request.call.id, await host.resume(request.id, Approve(by="you"))
    ).messages

    async def settle(step):
        for each in step.pending:
            result = await host.resume(each.id, Approve(by="you"))
            step = step.answered(each.call.id, result)
        return step

    done = await anthropic.conversation(client, run, messages, settle=settle, **ASKED)
    assert done.ended == "answered"
    assert echo.called == [("ask_say", {"text": "hello"})] * 2


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, "{prompt}"),
        ({"system": "Be short."}, "Be short.\n\n{prompt}"),
        ({"system": [text("Be short.")]}, [text("Be short."), text("{prompt}")]),
    ],
)
async def test_the_prompt_of_the_run_goes_with_the_callers_own(
    toolsearch_host, provider, client, echo, own, expected
):
    config = {"tools": {"toolSearch": {"mode": "tools", "directory": True}}}
    provider.answers = [message(text("Hi."))]
    theirs = {"type": "web_search_20250305", "name": "web_search"}
    async with toolsearch_host(config, echo) as host:
        run = await host.plan()
        await anthropic.conversation(client, run, user(), tools=[theirs], **ASKED, **own)
    prompt = run.rendered("anthropic").prompt
    (request,) = provider.requests
    as_sent = json.dumps(expected).replace("{prompt}", json.dumps(prompt)[1:-1])
    assert request["system"] == json.loads(as_sent)
    assert [tool["name"] for tool in request["tools"]][-2:] == ["tool_call", "web_search"]


async def test_a_client_that_would_hold_up_the_loop_is_refused(host, provider):
    with (
        client_of_anthropic.Anthropic(base_url=provider.url, api_key="k") as client,
        pytest.raises(TypeError, match=r"anthropic\.AsyncAnthropic"),
    ):
        await anthropic.conversation(client, await host.plan(), user(), **ASKED)


async def test_the_tool_runner_of_the_client_answers_with_the_surface(host, provider, client):
    provider.answers = [
        message(use("t1", "tool_call", **CALL), use("t2", "tool_call", id="nothing_like_it")),
        message(text("Done.")),
    ]
    runner = client.beta.messages.tool_runner(
        **ASKED, messages=user(), tools=anthropic.tools_of(await host.plan())
    )
    last = await runner.until_done()
    assert last.content[0].text == "Done."
    said, wrong = provider.requests[1]["messages"][-1]["content"]
    assert '"result":"hello"' in said["content"]
    assert wrong["is_error"] is True
    assert "unknown_tool" in json.dumps(wrong["content"])


async def test_the_tool_runner_takes_awkward_tools_under_other_names(
    toolsearch_host, provider, client
):
    source = awkward_source()
    provider.answers = [message(use("t1", "h_he_messen")), message(text("Done."))]
    async with toolsearch_host({}, source, only=ONLY) as host:
        tools = anthropic.tools_of(await host.plan())
        await client.beta.messages.tool_runner(**ASKED, messages=user(), tools=tools).until_done()
    assert source.called == [("höhe messen", {})]


PLAIN = {
    "name": "add",
    "description": "Add two numbers.",
    "input_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a"],
    },
}


@client_of_anthropic.beta_tool(name="add")
def add_now(a: int, b: int = 1) -> str:
    """Add two numbers."""
    return str(a + b)


@client_of_anthropic.beta_async_tool(name="add")
async def add_later(a: int, b: int = 1):
    """Add two numbers."""
    await asyncio.sleep(0)
    return [text(str(a + b))]


@pytest.mark.parametrize("tool", [add_now, add_later], ids=["plain", "async"])
async def test_tools_made_of_functions_are_a_source(adds, tool):
    assert await adds(anthropic.source_of([tool]), "anthropic") == "5"


async def test_definitions_with_their_functions_are_a_source(adds):
    source = anthropic.source_of([PLAIN], functions={"add": add})
    assert await adds(source, "anthropic") == 5


async def test_failures_of_their_tools_are_told_and_blocks_kept(toolsearch_host):
    caller = threading.current_thread()
    picture = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}

    @client_of_anthropic.beta_tool
    def fail() -> str:
        """Fail."""
        raise ToolError("the printer is on fire")

    @client_of_anthropic.beta_tool
    def draw():
        """Draw."""
        assert threading.current_thread() is not caller
        return [text("So:"), picture]

    source = anthropic.source_of([fail, draw])
    async with toolsearch_host(None, sources=[source], only=ONLY) as host:
        run = await host.plan()
        failed, drawn = await run.handle("fail", {}), await run.handle("draw", {})
    assert "the printer is on fire" in failed.error.message
    assert drawn.value == [text("So:"), picture]


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([{"type": "web_search_20250305", "name": "web_search"}], "is the provider's own"),
        ([{"input_schema": {}}], "has no name"),
        ([PLAIN], "no function executes add"),
        ([add_now, add_later], "two tools of anthropic have the name 'add'"),
    ],
)
def test_tools_that_cannot_be_executed_are_refused(tools, said):
    with pytest.raises(ValueError, match=said):
        anthropic.source_of(tools)


async def test_definitions_are_the_callers_own_for_one_run(toolsearch_host):
    other = {"name": "sub", "input_schema": {"type": "object"}}
    tools = anthropic.client_tools_of([PLAIN, other], {"add": add})
    async with toolsearch_host(only=ONLY) as host:
        run = await host.plan(client_tools=tools)
        done = await run.handle("tool_call", {"id": "client:app:add", "args": {"a": 2, "b": 3}})
        back = await run.handle("sub", {"a": 1})
    assert done.value["result"] == 5
    assert back.handed_back.arguments == {"a": 1}
