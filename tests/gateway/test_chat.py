"""Chat completions through the gateway, with the real client."""

import json

import pytest
from openai.types.chat import ChatCompletionMessageCustomToolCall

from toolsearch_gateway_openai.provider import Call, Free, Say
from toolsearch_hookspecs import ToolResult, hookimpl

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
    await gateway.host.plugins.hooks.drain()
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


@pytest.mark.parametrize("stream", [False, True])
async def test_a_call_of_a_custom_tool_is_handed_back_with_its_text(served, scripted, stream):
    script = scripted(
        Call((("patch", Free("*** Begin\n+1")),)), lambda seen: Say(f"it said {seen.told[0].text}")
    )
    gateway = await served(script, adder())
    patch = {"type": "custom", "custom": {"name": "patch", "description": "Change files"}}
    words = [{"role": "user", "content": "patch it"}]
    if stream:
        chunks = [chunk async for chunk in await ask(gateway, tools=[patch], stream=True)]
        (delta,) = [c.choices[0].delta for c in chunks if c.choices[0].delta.tool_calls]
        entry = delta.model_dump()["tool_calls"][0]
        call = ChatCompletionMessageCustomToolCall.model_validate(entry)
    else:
        call = (await ask(gateway, tools=[patch])).choices[0].message.tool_calls[0]
    assert (call.type, call.custom.name, call.custom.input) == ("custom", "patch", "*** Begin\n+1")
    assert patch in gateway.provider.received[0].body["tools"]
    entry = {"id": call.id, "type": "custom", "custom": call.custom.model_dump()}
    done = {"role": "tool", "tool_call_id": call.id, "content": "applied"}
    again = [*words, {"role": "assistant", "tool_calls": [entry]}, done]
    last = await gateway.client.chat.completions.create(model="m", messages=again, tools=[patch])
    assert last.choices[0].message.content == "it said applied"


async def test_the_addition_to_the_prompt_stands_behind_the_apps_instructions(served, scripted):
    config = {"tools": {"toolSearch": {"mode": "directory"}}}
    gateway = await served(scripted(Say("hello")), adder(), config=config)
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "hello"},
    ]
    await gateway.client.chat.completions.create(model="m", messages=messages)
    sent = gateway.provider.received[0].body["messages"]
    assert [message["role"] for message in sent] == ["developer", "developer", "user"]
    assert "add" in sent[1]["content"]


@pytest.mark.parametrize(
    ("tools", "choices"),
    [([], ["required", "auto"]), ([PICK], ["required", "required"])],
)
async def test_a_call_that_is_required_is_required_of_the_apps_own_tools(
    served, scripted, tools, choices
):
    gateway = await served(scripted(Call(ADD), Say("3")), adder())
    more = {"tools": tools} if tools else {}
    await ask(gateway, tool_choice="required", **more)
    assert [r.body["tool_choice"] for r in gateway.provider.received] == choices


async def test_images_in_the_apps_results_reach_the_model_as_they_are(served, scripted):
    script = scripted(Call((("pick_file", {"folder": "docs"}),)), Say("a picture"))
    gateway = await served(script, adder())
    message = (await ask(gateway, tools=[PICK])).choices[0].message
    parts = [
        {"type": "text", "text": "here"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": parts}
    await gateway.client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "x"}, message.model_dump(exclude_none=True), result],
        tools=[PICK],
    )
    assert gateway.provider.received[1].body["messages"][-1]["content"] == parts


async def test_a_result_that_a_hook_withholds_does_not_reach_the_model(served, scripted):
    class Withholds:
        @hookimpl
        async def toolsearch_after_tool_call(self, call, result):
            return ToolResult(value="withheld by the house")

    script = scripted(
        Call((("pick_file", {"folder": "docs"}),)), lambda seen: Say(seen.told[0].text)
    )
    gateway = await served(script, adder(), plugins=[("withholds", Withholds())])
    message = (await ask(gateway, tools=[PICK])).choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "a secret"}
    last = await gateway.client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "x"}, message.model_dump(exclude_none=True), result],
        tools=[PICK],
    )
    assert last.choices[0].message.content == "withheld by the house"
    assert "a secret" not in str(gateway.provider.received[1].body)
