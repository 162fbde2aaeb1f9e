"""Responses, through the client of OpenAI."""

import json

import pytest
from openai.types.responses import ResponseInputParam, ToolParam
from pydantic import TypeAdapter


def response(*output):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": "completed",
    }


def call(id_, name, **arguments):
    return {
        "type": "function_call",
        "id": f"fc_{id_}",
        "call_id": id_,
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def search(id_, **arguments):
    return {
        "type": "tool_search_call",
        "id": f"ts_{id_}",
        "call_id": id_,
        "execution": "client",
        "arguments": arguments,
        "status": "completed",
    }


SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"}


async def ask(client, conversation, run, **more):
    return await client.responses.create(
        model="m", input=conversation, tools=run.rendered("openai-responses").tools, **more
    )


async def test_outputs_follow_the_items_they_answer_reasoning_included(
    host, provider, client, source
):
    run = await host.plan()
    provider.answers = [
        response(
            THOUGHT,
            call("c1", "tool_call", id="pay", args={"card": "1"}),
            call("c2", "tool_call", id="nothing_like_it"),
        ),
        response(SAID),
    ]
    conversation = [{"role": "user", "content": "pay"}]
    step = await run.respond(await ask(client, conversation, run), surface="openai-responses")
    conversation += step.messages
    last = await run.respond(await ask(client, conversation, run), surface="openai-responses")
    assert last.done
    sent = provider.requests[1]["input"]
    assert [item.get("type") for item in sent[1:]] == [
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]
    assert sent[1]["encrypted_content"] == "xyz"
    assert [item["call_id"] for item in sent[-2:]] == ["c1", "c2"]
    assert json.loads(sent[-2]["output"])["result"] == {"did": "pay"}
    assert json.loads(sent[-1]["output"])["error"]["code"] == "unknown_tool"


async def test_tools_are_not_strict_since_that_changes_what_a_schema_may_say(host):
    run = await host.plan(mode="direct")
    assert all(tool["strict"] is False for tool in run.rendered("openai-responses").tools)


@pytest.mark.parametrize("ending", ["completed", "broken off"])
async def test_a_streamed_response_is_answered(host, provider, client, source, ending):
    run = await host.plan()
    item = call("c1", "tool_call", id="plant")
    begun = response()
    events = [
        {"type": "response.created", "sequence_number": 0, "response": begun},
        {
            "type": "response.output_item.added",
            "sequence_number": 1,
            "output_index": 0,
            "item": item | {"arguments": "", "status": "in_progress"},
        },
        {
            "type": "response.function_call_arguments.delta",
            "sequence_number": 2,
            "output_index": 0,
            "item_id": "fc_c1",
            "delta": item["arguments"],
        },
        {
            "type": "response.output_item.done",
            "sequence_number": 3,
            "output_index": 0,
            "item": item,
        },
    ]
    if ending == "completed":
        done = response(item)
        events.append({"type": "response.completed", "sequence_number": 4, "response": done})
    provider.answers = [events]
    stream = await ask(client, [{"role": "user", "content": "plant"}], run, stream=True)
    step = await run.respond(stream, surface="openai-responses")
    assert json.loads(step.results[0]["output"])["result"] == {"did": "plant"}
    assert [name for name, _ in source.called] == ["plant"]


async def test_the_providers_own_tool_search_is_executed_as_its_client(
    host, provider, client, source
):
    run = await host.plan(harness="openai-tool-search")
    provider.answers = [
        response(search("s1", query="plant a tree")),
        response(call("c1", "plant", tree={"kind": "oak"})),
        response(SAID),
    ]
    conversation = [{"role": "user", "content": "plant an oak"}]
    for _ in range(3):
        step = await run.respond(await ask(client, conversation, run), surface="openai-responses")
        conversation += step.messages
    assert step.done
    (only,) = provider.requests[0]["tools"]
    assert (only["type"], only["execution"]) == ("tool_search", "client")
    assert "query" in only["parameters"]["properties"]
    output = provider.requests[1]["input"][-1]
    assert (output["type"], output["call_id"], output["status"]) == (
        "tool_search_output",
        "s1",
        "completed",
    )
    loaded = output["tools"][0]
    assert (loaded["name"], loaded["defer_loading"]) == ("plant", True)
    assert loaded["parameters"]["properties"]["tree"]["type"] == "object"
    assert source.called == [("plant", {"tree": {"kind": "oak"}})]


async def test_a_search_that_finds_nothing_or_fails_loads_nothing(host):
    run = await host.plan(harness="openai-tool-search")
    message = response(search("s1", query="qwertz"), search("s2", words="no query at all"))
    step = await run.respond(message, surface="openai-responses")
    assert [(item["status"], item["tools"]) for item in step.results] == [
        ("completed", []),
        ("incomplete", []),
    ]


async def test_a_search_that_the_provider_executed_itself_is_left_alone(host):
    run = await host.plan(harness="openai-tool-search")
    item = search("s1", query="plant") | {"execution": "server"}
    assert (await run.respond(response(item), surface="openai-responses")).done


async def test_what_is_sent_has_the_types_of_the_client(host):
    direct = await host.plan(mode="direct")
    native = await host.plan(harness="openai-tool-search")
    message = response(THOUGHT, call("c1", "pay", card="1"), search("s1", query="plant a tree"))
    step = await native.respond(message, surface="openai-responses")
    for run in (direct, native):
        tools = run.rendered("openai-responses").tools
        TypeAdapter(list[ToolParam]).validate_python(tools)
    TypeAdapter(ResponseInputParam).validate_python(list(step.messages))
