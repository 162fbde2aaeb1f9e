"""Messages, through the client of Anthropic."""

import json

import anthropic
import pytest
from anthropic.types import MessageParam, ToolParam
from pydantic import TypeAdapter


def message(*content):
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def use(id_, name, **arguments):
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def text(said):
    return {"type": "text", "text": said}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}


@pytest.fixture
async def client(provider):
    async with anthropic.AsyncAnthropic(
        base_url=provider.url, api_key="k", max_retries=0
    ) as client:
        yield client


def request(conversation, run):
    tools = run.rendered("anthropic").tools
    return {"model": "m", "max_tokens": 64, "messages": conversation, "tools": tools}


async def ask(client, conversation, run):
    return await client.messages.create(**request(conversation, run))


def results(provider):
    return provider.requests[-1]["messages"][-1]["content"]


async def test_all_results_of_a_step_stand_in_one_message_errors_marked(
    host, provider, client, source
):
    run = await host.plan(provider="anthropic")
    provider.answers = [
        message(
            THOUGHT,
            text("Paying."),
            use("t1", "tool_call", id="pay", args={"card": "1"}),
            use("t2", "tool_call", id="fail"),
        ),
        message(text("Done.")),
    ]
    conversation = [{"role": "user", "content": "pay"}]
    step = await run.respond(await ask(client, conversation, run))
    conversation += step.messages
    last = await run.respond(await ask(client, conversation, run))
    assert last.done
    assert provider.requests[1]["messages"][1]["content"][0] == THOUGHT
    paid, failed = results(provider)
    assert json.loads(paid["content"])["result"] == {"did": "pay"}
    assert "is_error" not in paid
    assert failed["is_error"] is True
    assert "the printer is on fire" in failed["content"]


def streamed(*blocks):
    yield {"type": "message_start", "message": message()}
    for index, (block, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 9},
    }
    yield {"type": "message_stop"}


def pieces(*parts):
    return [{"type": "input_json_delta", "partial_json": part} for part in parts]


@pytest.mark.parametrize("how", ["raw events", "the client's helper"])
async def test_a_streamed_message_is_put_together_from_its_events(
    host, provider, client, source, how
):
    run = await host.plan(provider="anthropic")
    provider.answers = [
        list(
            streamed(
                (
                    {"type": "thinking", "thinking": "", "signature": ""},
                    [
                        {"type": "thinking_delta", "thinking": "h"},
                        {"type": "thinking_delta", "thinking": "m"},
                        {"type": "signature_delta", "signature": "sig"},
                    ],
                ),
                (
                    text(""),
                    [
                        {"type": "text_delta", "text": "One mo"},
                        {"type": "text_delta", "text": "ment."},
                    ],
                ),
                (use("t1", "tool_call"), pieces("", '{"id": "pl', 'ant"}')),
                (use("t2", "tool_call"), pieces('{"id": "9.lives"}')),
            )
        ),
        message(text("Done.")),
    ]
    conversation = [{"role": "user", "content": "plant"}]
    if how == "raw events":
        stream = await client.messages.create(**request(conversation, run), stream=True)
        step = await run.respond(stream)
    else:
        async with client.messages.stream(**request(conversation, run)) as stream:
            step = await run.respond(stream)
    conversation += step.messages
    await ask(client, conversation, run)
    thought, said, *_ = provider.requests[1]["messages"][1]["content"]
    assert thought == THOUGHT
    assert said["text"] == "One moment."
    assert {name for name, _ in source.called} == {"plant", "9.lives"}


async def test_input_that_is_no_json_is_told_to_the_model_and_leaves_the_history_sound(
    host, provider, client
):
    run = await host.plan(provider="anthropic")
    provider.answers = [
        list(streamed((use("t1", "tool_call"), pieces('{"id": "pl')))),
        message(text("Sorry.")),
    ]
    conversation = [{"role": "user", "content": "plant"}]
    stream = await client.messages.create(**request(conversation, run), stream=True)
    conversation += (await run.respond(stream)).messages
    await ask(client, conversation, run)
    assert provider.requests[1]["messages"][1]["content"][0]["input"] == {}
    assert results(provider)[0]["is_error"] is True


async def test_awkward_tools_shown_directly_are_taken_by_the_provider_and_stay_callable(
    host, provider, client, source
):
    run = await host.plan(provider="anthropic", mode="direct")
    provider.answers = [
        message(
            use("t1", "h_he_messen"),
            use("t2", "pay", iban="DE1"),
            use("t3", "list_apps", **apps_by_id(run, "42")),
        ),
        message(text("Done.")),
    ]
    conversation = [{"role": "user", "content": "go"}]
    conversation += (await run.respond(await ask(client, conversation, run))).messages
    await ask(client, conversation, run)
    assert sorted(source.called) == [
        ("höhe messen", {}),
        ("list_apps", {"filter[id]": "42"}),
        ("pay", {"iban": "DE1"}),
    ]


def apps_by_id(run, id_):
    """The argument as the model finds it in the schema that it was shown."""
    tools = {tool["name"]: tool["input_schema"] for tool in run.rendered().tools}
    (needed,) = tools["list_apps"]["required"]
    assert needed not in {"filter[id]", "filter_id_", "limit"}
    return {needed: id_}


async def test_the_providers_tool_search_gets_references_to_deferred_tools(
    host, provider, client, source
):
    run = await host.plan(provider="anthropic", harness="anthropic-tool-search")
    provider.answers = [
        message(
            use("t1", "tool_search", query="plant a tree"), use("t2", "tool_search", query="q")
        ),
        message(use("t3", "plant", tree={"kind": "oak"})),
        message(text("Done.")),
    ]
    conversation = [{"role": "user", "content": "plant an oak"}]
    for _ in range(3):
        step = await run.respond(await ask(client, conversation, run))
        conversation += step.messages
    assert step.done
    search, *others = provider.requests[0]["tools"]
    assert search["name"] == "tool_search"
    assert "defer_loading" not in search
    assert len(others) == len(source.specs)
    assert all(tool["defer_loading"] for tool in others)
    found, nothing = provider.requests[1]["messages"][-1]["content"]
    assert found["content"][0] == {"type": "tool_reference", "tool_name": "plant"}
    assert nothing["content"][0]["type"] == "text"
    assert source.called == [("plant", {"tree": {"kind": "oak"}})]


async def test_a_message_of_another_provider_is_refused(host):
    run = await host.plan(provider="anthropic")
    with pytest.raises(ValueError, match="no message of the role assistant"):
        await run.respond({"output": []})


async def test_what_is_sent_has_the_types_of_the_client(host):
    direct = await host.plan(provider="anthropic", mode="direct")
    native = await host.plan(provider="anthropic", harness="anthropic-tool-search")
    for run in (direct, native):
        TypeAdapter(list[ToolParam]).validate_python(run.rendered().tools)
    asked = message(THOUGHT, use("t1", "tool_search", query="plant"), use("t2", "fail"))
    step = await native.respond(asked)
    TypeAdapter(list[MessageParam]).validate_python(list(step.messages))
