"""Chat completions through the gateway, with the real client."""

import json

from toolsearch_gateway_openai.provider import Call, Say

from .conftest import ADD, adder

PICK = {
    "type": "function",
    "function": {
        "name": "pick_file",
        "description": "Ask the user for a file",
        "parameters": {
            "type": "object",
            "properties": {"folder": {"type": "string"}},
            "required": ["folder"],
        },
        "strict": False,
    },
}


async def ask(served, words="add one and two", **more):
    return await served.client.chat.completions.create(
        model="scripted", messages=[{"role": "user", "content": words}], **more
    )


async def test_a_tool_of_the_host_is_called_behind_the_scenes(served, scripted):
    source = adder()
    script = scripted(
        Call((("tool_search", {"query": "add"}),)),
        lambda seen: Call(ADD),
        lambda seen: Say(f"it is {json.loads(seen.told[-1].text)['result']}"),
    )
    gateway = await served(script, source)
    answer = await ask(gateway)
    assert answer.choices[0].message.content == "it is 3"
    assert answer.choices[0].message.tool_calls is None
    assert answer.choices[0].finish_reason == "stop"
    assert len(source.calls) == 1
    declared = gateway.provider.received[0].declared
    assert declared == ["tool_search", "tool_describe", "tool_call"]


async def test_usage_is_added_up_over_the_hidden_turns(served, scripted):
    gateway = await served(scripted(Call(ADD), Say("3")), adder())
    answer = await ask(gateway)
    sizes = [request.size // 4 for request in gateway.provider.received]
    assert answer.usage.prompt_tokens == sum(sizes)
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.usage.prompt_tokens_details.cached_tokens == 2


async def test_direct_exposure_shows_every_schema_and_still_calls_in_the_gateway(served, scripted):
    source = adder()
    script = scripted(Call((("add", {"a": 1, "b": 2}),)), lambda seen: Say(seen.told[-1].text))
    gateway = await served(script, source, who={"mode": "direct"})
    answer = await ask(gateway)
    assert answer.choices[0].message.content == "3"
    assert gateway.provider.received[0].declared == ["add"]


async def test_a_call_of_the_apps_own_tool_is_handed_back_and_its_result_taken_up(served, scripted):
    script = scripted(
        Call((("pick_file", {"folder": "docs"}),)),
        lambda seen: Say(f"you picked {seen.told[-1].text}"),
    )
    gateway = await served(script, adder())
    first = await ask(gateway, "pick one", tools=[PICK])
    assert first.choices[0].finish_reason == "tool_calls"
    (call,) = first.choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("pick_file", '{"folder": "docs"}')
    assert PICK in gateway.provider.received[0].body["tools"]
    second = await gateway.client.chat.completions.create(
        model="scripted",
        messages=[
            {"role": "user", "content": "pick one"},
            first.choices[0].message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": call.id, "content": "a.txt"},
        ],
        tools=[PICK],
    )
    assert second.choices[0].message.content == "you picked a.txt"
    ended = gateway.host.events.of("call.ended")
    assert [(e.data["source"], e.data["ok"]) for e in ended] == [("client", True)]
    assert len(gateway.host.events.of("run.planned")) == 1


async def test_what_was_done_before_a_hand_back_is_not_forgotten(served, scripted):
    source = adder()
    script = scripted(
        Call(ADD, text="First the sum."),
        Call((*ADD, ("pick_file", {"folder": "docs"}))),
        lambda seen: Say(" then ".join(each.name for each in seen.told)),
    )
    gateway = await served(script, source)
    first = await ask(gateway, tools=[PICK])
    message = first.choices[0].message
    assert [call.function.name for call in message.tool_calls] == ["pick_file"]
    assert len(source.calls) == 2
    second = await gateway.client.chat.completions.create(
        model="scripted",
        messages=[
            {"role": "user", "content": "add one and two"},
            message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "a.txt"},
        ],
        tools=[PICK],
    )
    assert second.choices[0].message.content == "tool_call then tool_call then pick_file"
    assert len(source.calls) == 2


async def test_streamed_and_whole_answers_say_the_same(served, scripted):
    steps = (Call(ADD, text="Let me add."), Say("The sum is three, as one would think."))
    whole = await ask(await served(scripted(*steps), adder()))
    gateway = await served(scripted(*steps), adder())
    stream = await ask(gateway, stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in stream]
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert len({chunk.id for chunk in chunks}) == 1
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage.total_tokens > 0
    assert not any(c.choices[0].delta.tool_calls for c in chunks if c.choices)


async def test_a_streamed_call_of_the_apps_own_tool_is_handed_back(served, scripted):
    gateway = await served(scripted(Call((("pick_file", {"folder": "docs"}),))), adder())
    async with gateway.client.chat.completions.stream(
        model="scripted", messages=[{"role": "user", "content": "pick"}], tools=[PICK]
    ) as stream:
        final = await stream.get_final_completion()
    (call,) = final.choices[0].message.tool_calls
    assert final.choices[0].finish_reason == "tool_calls"
    assert json.loads(call.function.arguments) == {"folder": "docs"}
