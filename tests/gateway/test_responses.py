"""The Responses API through the gateway, with the real client."""

import json

import pytest

from toolsearch_gateway_openai.provider import Call, Find, Free, Say

from .conftest import ADD, adder

PICK = {
    "type": "function",
    "name": "pick_file",
    "description": "Ask the user for a file",
    "parameters": {
        "type": "object",
        "properties": {"folder": {"type": "string"}},
        "required": ["folder"],
    },
    "strict": False,
}


async def ask(served, words="add one and two", **more):
    return await served.client.responses.create(model="scripted", input=words, **more)


async def test_a_tool_of_the_host_is_called_behind_the_scenes(served, scripted):
    source = adder()
    script = scripted(
        Call((("tool_search", {"query": "add"}),)),
        Call(ADD, text="Found it."),
        lambda seen: Say(f"it is {json.loads(seen.told[-1].text)['result']}"),
    )
    gateway = await served(script, source)
    answer = await ask(gateway, instructions="Be brief.")
    assert [item.type for item in answer.output] == ["message", "message"]
    assert answer.output[-1].content[0].text == "it is 3"
    assert len(source.calls) == 1
    assert answer.usage.input_tokens == sum(r.size // 4 for r in gateway.provider.received)
    assert (answer.instructions, answer.tools) == ("Be brief.", [])
    assert gateway.provider.received[0].declared == ["tool_search", "tool_describe", "tool_call"]


async def test_streamed_and_whole_answers_say_the_same(served, scripted):
    steps = (Call(ADD, text="Let me add."), Say("The sum is three, as one would think."))
    whole = await ask(await served(scripted(*steps), adder()))
    gateway = await served(scripted(*steps), adder())
    events = [event async for event in await ask(gateway, stream=True)]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [event.type for event in events].count("response.created") == 1
    final = events[-1].response
    assert final.output_text == whole.output_text
    assert final.id == events[0].response.id
    said = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    assert said == whole.output_text
    assert not [e for e in events if "function_call" in e.type]
    places = [e.output_index for e in events if e.type == "response.output_item.added"]
    assert places == [0, 1]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("chained", [False, True])
async def test_an_own_call_is_handed_back_and_what_went_before_is_not_forgotten(
    served, scripted, stream, chained
):
    source = adder()
    script = scripted(
        Call(ADD),
        Call((*ADD, ("pick_file", {"folder": "docs"}))),
        lambda seen: Say(" then ".join(each.name for each in seen.told)),
    )
    gateway = await served(script, source)
    first = await ask(gateway, tools=[PICK], stream=stream)
    if stream:
        first = [event async for event in first][-1].response
    (call,) = first.output
    assert (call.type, call.name, json.loads(call.arguments)) == (
        "function_call",
        "pick_file",
        {"folder": "docs"},
    )
    assert first.tools[0].name == "pick_file"
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "a.txt"}
    if chained:
        more = {"input": [result], "previous_response_id": first.id}
    else:
        asked = {"role": "user", "content": "add one and two"}
        more = {"input": [asked, call.model_dump(exclude_none=True), result]}
    script.steps = (*script.steps[:2], Say("picked"))
    second = await gateway.client.responses.create(model="scripted", tools=[PICK], **more)
    assert second.output_text == "picked"
    assert len(source.calls) == 2
    sent = gateway.provider.received[2].body
    kinds = [item.get("type", "message") for item in sent["input"]]
    if chained:
        # The provider holds the rest: the response before this one, not the one that was shown.
        assert kinds == ["function_call_output"] * 2
        answered = gateway.provider.answered[1]["id"]
        assert sent["previous_response_id"] == answered
    else:
        turns = ["function_call", "function_call_output", "function_call", "function_call"]
        assert kinds == ["message", *turns, "function_call_output", "function_call_output"]
    own = [item["call_id"] for item in sent["input"] if item.get("output") == "a.txt"]
    assert own == [call.call_id.rpartition("_ts")[0]]


async def test_a_call_whose_run_is_gone_is_passed_on_with_the_providers_own_id(served, scripted):
    gateway = await served(scripted(Say("picked")), adder())
    call = {
        "type": "function_call",
        "call_id": "call_9_ts0123456789ab",
        "name": "pick_file",
        "arguments": "{}",
    }
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "a.txt"}
    answer = await ask(gateway, [{"role": "user", "content": "go on"}, call, result], tools=[PICK])
    assert answer.output_text == "picked"
    sent = gateway.provider.received[0].body["input"]
    assert [item.get("call_id") for item in sent] == [None, "call_9", "call_9"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_call_of_a_custom_tool_is_handed_back_with_its_text(served, scripted, stream):
    script = scripted(
        Call((("patch", Free("*** Begin\n+1")),)), lambda seen: Say(f"it said {seen.told[0].text}")
    )
    gateway = await served(script, adder())
    patch = {"type": "custom", "name": "patch", "description": "Change files"}
    first = await ask(gateway, "patch it", tools=[patch], stream=stream)
    if stream:
        events = [event async for event in first]
        pieces = [e for e in events if e.type == "response.custom_tool_call_input.done"]
        assert [event.input for event in pieces] == ["*** Begin\n+1"]
        first = events[-1].response
    (call,) = first.output
    assert (call.type, call.name, call.input) == ("custom_tool_call", "patch", "*** Begin\n+1")
    done = {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "applied"}
    last = await ask(gateway, [done], previous_response_id=first.id, tools=[patch])
    assert last.output_text == "it said applied"


async def test_a_conversation_at_the_provider_is_sent_nothing_twice(served, scripted):
    gateway = await served(scripted(Call(ADD), Say("3")), adder())
    await gateway.client.responses.create(model="m", input="add", conversation="conv_1")
    first, second = (request.body for request in gateway.provider.received)
    assert [item.get("type", "message") for item in first["input"]] == ["message"]
    assert [item["type"] for item in second["input"]] == ["function_call_output"]
    assert second["conversation"] == "conv_1"


async def test_tools_that_the_provider_runs_itself_are_passed_on(served, scripted):
    gateway = await served(scripted(Say("hello")), adder())
    await ask(gateway, tools=[{"type": "web_search"}, PICK])
    declared = gateway.provider.received[0].declared
    assert declared == ["tool_search", "tool_describe", "tool_call", "pick_file", "web_search"]


@pytest.mark.parametrize("stream", [False, True])
async def test_the_providers_own_tool_search_is_executed_here(served, scripted, stream):
    source = adder()
    script = scripted(
        Call((("tool_search", Find("add two numbers")),)),
        lambda seen: Call(((json.loads(seen.told[-1].text)[0], {"a": 1, "b": 2}),)),
        lambda seen: Say(f"it is {seen.told[-1].text}"),
    )
    gateway = await served(script, source)
    answer = await ask(
        gateway, stream=stream, extra_headers={"x-toolsearch-harness": "openai-tool-search"}
    )
    if stream:
        answer = [event async for event in answer][-1].response
    assert answer.output_text == "it is 3"
    assert [item.type for item in answer.output] == ["message"]
    assert gateway.provider.received[0].declared == ["tool_search"]
    (found,) = [
        item
        for item in gateway.provider.received[1].body["input"]
        if item.get("type") == "tool_search_output"
    ]
    assert [(tool["name"], tool["defer_loading"]) for tool in found["tools"]] == [("add", True)]
    assert len(source.calls) == 1
