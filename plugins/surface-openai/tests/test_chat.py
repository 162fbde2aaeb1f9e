"""Chat completions, through the client of OpenAI."""

import json

import pytest
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
from pydantic import ConfigDict, TypeAdapter

from toolsearch import ConfigError


def answer(**message):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def call(id_, name, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id_, "type": "function", "function": function}


def chunk(**delta):
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def piece(index, **function):
    return {"index": index, "function": function}


async def ask(client, conversation, run, **more):
    return await client.chat.completions.create(
        model="m", messages=conversation, tools=run.rendered("openai-chat").tools, **more
    )


async def test_a_conversation_goes_on_with_every_call_answered_in_order(
    host, provider, client, source
):
    run = await host.plan()
    provider.answers = [
        answer(
            content=None,
            tool_calls=[
                call("c1", "tool_call", id="openclaw:awkward:pay", args={"iban": "DE1"}),
                call("c2", "tool_call", id="fail"),
                call("c3", "tool_search", query="plant a tree"),
            ],
        ),
        answer(content="Done."),
    ]
    conversation = [{"role": "user", "content": "pay and plant"}]
    step = await run.respond(await ask(client, conversation, run), surface="openai-chat")
    conversation += step.messages
    last = await run.respond(await ask(client, conversation, run), surface="openai-chat")
    assert last.done
    paid, failed, found = provider.requests[1]["messages"][-3:]
    assert [m["tool_call_id"] for m in (paid, failed, found)] == ["c1", "c2", "c3"]
    assert json.loads(paid["content"])["result"] == {"did": "pay"}
    error = json.loads(failed["content"])["error"]
    assert (error["code"], error["message"]) == ("tool_error", "the printer is on fire")
    assert json.loads(found["content"])["hits"][0]["name"] == "plant"
    assert sorted(source.called) == [("fail", {}), ("pay", {"iban": "DE1"})]


async def test_a_streamed_answer_is_put_together_from_its_pieces(host, provider, client, source):
    run = await host.plan()
    provider.answers = [
        [
            chunk(role="assistant", content="One mo"),
            chunk(content="ment."),
            chunk(tool_calls=[piece(0, name="tool_call", arguments="") | {"id": "c1"}]),
            chunk(tool_calls=[piece(0, arguments='{"id":"pl')]),
            chunk(tool_calls=[piece(1, name="tool_call", arguments='{"id":') | {"id": "c2"}]),
            chunk(tool_calls=[piece(0, arguments='ant"}'), piece(1, arguments='"9.lives"}')]),
        ],
        answer(content="Done."),
    ]
    conversation = [{"role": "user", "content": "plant"}]
    stream = await ask(client, conversation, run, stream=True)
    step = await run.respond(stream, surface="openai-chat")
    assert step.history[0]["content"] == "One moment."
    conversation += step.messages
    await ask(client, conversation, run)
    assert {name for name, _ in source.called} == {"plant", "9.lives"}


async def test_calls_of_a_stream_that_share_an_index_are_told_apart_by_their_ids(host, source):
    run = await host.plan()
    chunks = [
        chunk(tool_calls=[piece(0, name="tool_call", arguments='{"id":"plant"}') | {"id": "c1"}]),
        chunk(tool_calls=[piece(0, name="tool_call", arguments='{"id":') | {"id": "c2"}]),
        chunk(tool_calls=[piece(0, arguments='"9.lives"}') | {"id": "c2"}]),
    ]
    await run.respond(chunks, surface="openai-chat")
    assert {name for name, _ in source.called} == {"plant", "9.lives"}


async def test_awkward_tools_shown_directly_are_taken_by_the_provider_and_stay_callable(
    host, provider, client, source
):
    run = await host.plan(mode="direct")
    rendered = run.rendered("openai-chat")
    names = {tool["function"]["name"] for tool in rendered.tools}
    assert names == {"h_he_messen", "_9_lives", "pay", "plant", "fail"}
    provider.answers = [
        answer(
            content=None,
            tool_calls=[call("c1", "h_he_messen"), call("c2", "pay", card="4711")],
        ),
        answer(content="Done."),
    ]
    conversation = [{"role": "user", "content": "go"}]
    step = await run.respond(await ask(client, conversation, run), surface="openai-chat")
    conversation += step.messages
    await ask(client, conversation, run)
    assert sorted(source.called) == [("höhe messen", {}), ("pay", {"card": "4711"})]


async def test_what_was_changed_is_reported_tool_by_tool(host):
    changes = (await host.plan(mode="direct")).rendered("openai-chat").changes
    by_tool = dict(change.split(": ", 1) for change in changes)
    assert by_tool["höhe messen"] == "sent as h_he_messen"
    assert by_tool["9.lives"] == (
        "sent as _9_lives; its description of 4,200 characters is cut to 1,024"
    )
    assert by_tool["pay"] == "oneOf at the root is merged into one object"
    assert by_tool["plant"] == (
        "references are written out; what is recursive, or beyond bounds, is left open"
    )
    assert "fail" not in by_tool


async def test_alternatives_at_the_root_are_told_in_words(host):
    run = await host.plan(mode="direct")
    tools = {tool["function"]["name"]: tool for tool in run.rendered("openai-chat").tools}
    pay = tools["pay"]["function"]
    assert pay["description"] == "Pay an invoice. Needed: card or iban."
    assert set(pay["parameters"]["properties"]) == {"card", "iban"}
    assert "required" not in pay["parameters"]


async def test_the_compact_surface_needs_no_change_whatever_the_tools(host):
    assert (await host.plan()).rendered("openai-chat").changes == ()


async def test_more_tools_than_the_provider_takes_are_refused_before_anything_is_sent(
    host, source, provider
):
    names = [f"tool_{n}" for n in range(129)]
    source.specs = {name: source.specs["fail"].model_copy(update={"name": name}) for name in names}
    run = await host.plan(mode="direct")
    with pytest.raises(ConfigError, match=r"at most 128 tools .* shows 129.*'tools'"):
        run.rendered("openai-chat")
    assert len((await host.plan(mode="tools")).rendered("openai-chat").tools) == 3
    assert provider.requests == []


async def test_a_message_of_another_provider_is_refused(host):
    run = await host.plan()
    with pytest.raises(ValueError, match="no chat completion"):
        await run.respond({"candidates": []}, surface="openai-chat")


async def test_arguments_that_are_no_json_are_told_to_the_model(host):
    run = await host.plan()
    broken = {"name": "tool_search", "arguments": '{"query": "pl'}
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": broken}]}
    step = await run.respond(message, surface="openai-chat")
    assert "invalid_arguments" in step.results[0]["content"]


async def test_what_is_sent_has_the_types_of_the_client(host):
    run = await host.plan(mode="direct")
    message = {"role": "assistant", "tool_calls": [call("c1", "pay", card="1"), call("c2", "fail")]}
    step = await run.respond(message, surface="openai-chat")
    strictly(list[ChatCompletionFunctionToolParam], run.rendered("openai-chat").tools)
    strictly(list[ChatCompletionMessageParam], list(step.messages))


def strictly(kind, value):
    TypeAdapter(kind, config=ConfigDict(extra="forbid")).validate_python(value)
