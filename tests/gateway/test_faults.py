"""What apps are answered when something goes wrong, and what is never done twice."""

import asyncio

import httpx2
import openai
import pytest

from toolsearch_gateway_openai.provider import Break, Call, Refuse, Say

from ..conftest import ListSource
from .conftest import ADD, APP_KEY, adder
from .test_chat import PICK, ask

APP = {"authorization": f"Bearer {APP_KEY}"}


async def chat_words(gateway, said):
    """What a streamed chat completion says, as it comes."""
    async for chunk in await ask(gateway, stream=True):
        said += [choice.delta.content or "" for choice in chunk.choices]


async def response_words(gateway, said):
    """What a streamed response says, as it comes."""
    async for event in await gateway.client.responses.create(model="m", input="x", stream=True):
        if event.type == "response.output_text.delta":
            said.append(event.delta)
        if event.type == "error":
            raise openai.APIError(event.message, None, body=None)


def upstream(gateway_url, **more):
    return {"upstream": {"baseUrl": gateway_url, **more}}


async def test_a_refusal_of_the_provider_is_passed_on_as_it_is(served, scripted):
    gateway = await served(scripted(Refuse(400, "the model is not there")))
    with pytest.raises(openai.BadRequestError, match="the model is not there") as refused:
        await ask(gateway)
    assert refused.value.code == "scripted"


async def test_a_refusal_that_was_streamed_for_has_its_status_too(served, scripted):
    gateway = await served(scripted(Refuse(403, "not you")))
    with pytest.raises(openai.PermissionDeniedError, match="not you"):
        await ask(gateway, stream=True)


async def test_a_provider_that_did_not_begin_is_asked_again(served, scripted):
    busy = Refuse(429, "slow down", {"retry-after": "0"})
    script = scripted(busy, Refuse(503, "busy", {"retry-after": "0"}), Say("hello"))
    inner = await served(script)
    gateway = await served(scripted(), settings=upstream(inner.provider.url, retries=2))
    assert (await ask(gateway)).choices[0].message.content == "hello"
    assert len(script.seen) == 3


@pytest.mark.parametrize("status", [400, 500, 502, 504])
async def test_a_provider_that_may_have_begun_is_not_asked_again(served, scripted, status):
    script = scripted(Refuse(status, "no"))
    inner = await served(script)
    gateway = await served(scripted(), settings=upstream(inner.provider.url, retries=2))
    with pytest.raises(openai.APIStatusError) as failed:
        await ask(gateway)
    assert (failed.value.status_code, len(script.seen)) == (status, 1)


async def test_the_client_does_not_repeat_a_request_whose_tools_were_called(served, scripted):
    source = adder()
    script = scripted(Call(ADD), Refuse(500, "out of order"))
    gateway = await served(script, source)
    gateway.client = gateway.client.with_options(max_retries=3)
    with pytest.raises(openai.InternalServerError, match="out of order") as failed:
        await ask(gateway)
    assert failed.value.response.headers["x-should-retry"] == "false"
    assert len(source.calls) == 1


async def test_a_provider_that_cannot_be_reached_is_said_to_be(served, scripted):
    gateway = await served(scripted(), settings=upstream("http://127.0.0.1:9/v1", retries=0))
    with pytest.raises(openai.InternalServerError, match="cannot be reached") as failed:
        await ask(gateway)
    assert (failed.value.status_code, failed.value.code) == (502, "upstream_unreachable")


async def test_a_provider_that_is_silent_is_given_up(served, scripted):
    forever = asyncio.Event()

    async def script(seen):
        await forever.wait()

    inner = await served(script)
    gateway = await served(scripted(), settings=upstream(inner.provider.url, readMs=50, retries=2))
    with pytest.raises(openai.APIStatusError, match="silent") as failed:
        await ask(gateway)
    assert failed.value.status_code == 504
    forever.set()


async def test_a_request_that_takes_too_long_is_ended_with_its_tools(served, scripted):
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow():
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    gateway = await served(
        scripted(Call((("tool_call", {"id": "slow", "args": {}}),))),
        ListSource("s", {"slow": slow}),
        settings={"requestMs": 2_000},
    )
    with pytest.raises(openai.APIStatusError, match="longer than 2 s"):
        await ask(gateway)
    assert started.is_set()
    await ended.wait()


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_leaves_has_its_tools_cancelled(served, scripted, stream):
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow():
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    gateway = await served(
        scripted(Call((("tool_call", {"id": "slow", "args": {}}),), text="One moment.")),
        ListSource("s", {"slow": slow}),
    )
    body = {"model": "m", "messages": [{"role": "user", "content": "go"}], "stream": stream}
    async with httpx2.AsyncClient() as client:
        request = client.build_request(
            "POST", f"{gateway.url}/v1/chat/completions", json=body, headers=APP
        )
        asking = asyncio.ensure_future(client.send(request, stream=stream))
        await started.wait()
        if stream:
            await (await asking).aclose()
        asking.cancel()
    await ended.wait()
    assert len(gateway.provider.received) == 1


async def test_a_client_that_leaves_ends_the_request_to_the_provider(served, scripted):
    asked, left = asyncio.Event(), asyncio.Event()

    async def script(seen):
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    gateway = await served(script)
    asking = asyncio.ensure_future(ask(gateway, stream=True))
    await asked.wait()
    asking.cancel()
    await asyncio.wait({asking})
    await until(lambda: not gateway.gateway.requests)


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("read", [chat_words, response_words])
async def test_a_stream_that_breaks_ends_with_an_error_and_not_as_if_it_were_whole(
    served, scripted, read
):
    gateway = await served(scripted(Break("The sum of one and two is")))
    said = []
    with pytest.raises(openai.APIError, match=r"half-way|broke"):
        await read(gateway, said)
    assert "The sum" in "".join(said)


async def test_a_model_that_calls_without_end_is_stopped(served, scripted):
    source = adder()
    gateway = await served(scripted(Call(ADD)), source, settings={"maxTurns": 3})
    with pytest.raises(openai.APIStatusError, match="after 3 turns") as failed:
        await ask(gateway)
    assert failed.value.code == "too_many_turns"
    assert len(source.calls) == 3
    choices = [request.body.get("tool_choice") for request in gateway.provider.received]
    assert choices == [None, None, None, "none"]


async def test_a_model_that_is_told_to_end_ends(served, scripted):
    def obedient(seen):
        return Call(ADD) if seen.may_call else Say("enough")

    gateway = await served(scripted(obedient), adder(), settings={"maxTurns": 2})
    assert (await ask(gateway)).choices[0].message.content == "enough"


@pytest.mark.parametrize("stream", [False, True])
async def test_calls_of_an_answer_that_was_cut_off_are_not_executed(served, scripted, stream):
    source = adder()
    gateway = await served(scripted(Call(ADD, text="I shall", cut_off=True)), source)
    answer = await ask(gateway, stream=stream)
    if stream:
        chunks = [chunk async for chunk in answer]
        assert chunks[-1].choices[0].finish_reason == "length"
    else:
        assert answer.choices[0].finish_reason == "length"
        assert answer.choices[0].message.tool_calls is None
    response = await gateway.client.responses.create(model="m", input="x", stream=stream)
    if stream:
        response = [event async for event in response][-1].response
    assert (response.status, response.output_text) == ("incomplete", "I shall")
    assert source.calls == []


async def test_a_client_tool_named_like_a_control_tool_is_refused(served, scripted):
    gateway = await served(scripted(Say("hello")), adder())
    function = {**PICK["function"], "name": "tool_search"}
    with pytest.raises(openai.BadRequestError, match="a control tool"):
        await ask(gateway, tools=[{"type": "function", "function": function}])


async def test_too_many_tools_for_a_request_are_refused_with_what_to_do(served, scripted):
    source = ListSource("many", {f"tool_{n}": lambda: None for n in range(200)})
    gateway = await served(scripted(Say("hello")), source, who={"mode": "direct"})
    with pytest.raises(openai.BadRequestError, match="at most 128 tools"):
        await ask(gateway)


async def test_a_denied_client_tool_is_not_shown_and_a_denied_call_is_not_handed_back(
    served, scripted
):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "deny": ["pick_file"]}}
    script = scripted(
        Call((("pick_file", {"folder": "docs"}),)), lambda seen: Say(seen.told[-1].text)
    )
    gateway = await served(script, adder(), config=config)
    answer = await ask(gateway, tools=[PICK])
    assert "pick_file" not in gateway.provider.received[0].declared
    assert answer.choices[0].message.tool_calls is None
    assert "unknown_tool" in answer.choices[0].message.content


async def test_requests_beyond_the_bound_are_refused_and_not_queued(served, scripted):
    begun, go = asyncio.Event(), asyncio.Event()

    async def script(seen):
        begun.set()
        await go.wait()
        return Say("hello")

    gateway = await served(script, settings={"maxRequests": 1})
    first = asyncio.ensure_future(ask(gateway))
    await begun.wait()
    with pytest.raises(openai.InternalServerError, match="too many requests"):
        await ask(gateway)
    go.set()
    assert (await first).choices[0].message.content == "hello"


async def test_a_stream_goes_no_faster_than_its_reader(served, scripted):
    long = "word " * 4_000_000
    gateway = await served(scripted(Say(long)))
    stream = await ask(gateway, stream=True)
    chunks = aiter(stream)
    first = await anext(chunks)
    sent = -1
    while sent != gateway.provider.sent:  # until it stands still, the reader not reading
        sent = gateway.provider.sent
        await asyncio.sleep(0.3)
    assert sent < 1_900
    said = [first.choices[0].delta.content or ""]
    said += [chunk.choices[0].delta.content or "" async for chunk in chunks]
    assert "".join(said) == long


async def test_a_repetition_of_a_request_that_called_tools_is_refused_also_after_a_restart(
    served, scripted
):
    started = asyncio.Event()
    entered = []

    async def enter():
        entered.append("a line")
        started.set()
        await asyncio.Event().wait()

    source = ListSource("s", {"enter": enter})
    script = scripted(Call((("tool_call", {"id": "enter", "args": {}}),)))
    first = await served(script, source)
    body = {"model": "m", "messages": [{"role": "user", "content": "enter a line"}]}
    async with httpx2.AsyncClient() as client:

        async def send(gateway, tries):
            headers = {**APP, "x-stainless-retry-count": str(tries)}
            path = f"{gateway.url}/v1/chat/completions"
            return await client.post(path, json=body, headers=headers)

        asking = asyncio.ensure_future(send(first, 0))
        await started.wait()
        asking.cancel()
        await until(lambda: not first.gateway.requests)
        second = await served(scripted(Say("hello")), source)
        for gateway in (first, second):
            refused = await send(gateway, 1)
            assert (refused.status_code, refused.headers["x-should-retry"]) == (409, "false")
            assert refused.json()["error"]["code"] == "already_begun"
        assert entered == ["a line"]
        # Sent anew by the app itself, it is a request like any other.
        assert (await send(second, 0)).status_code == 200


async def test_a_request_that_was_answered_may_be_repeated(served, scripted):
    source = adder()
    gateway = await served(scripted(Call(ADD), Say("3"), Call(ADD), Say("3")), source)
    for tries in ("0", "1"):
        answer = await ask(gateway, extra_headers={"x-stainless-retry-count": tries})
        assert answer.choices[0].message.content == "3"
    assert len(source.calls) == 2
    assert list(gateway.gateway.marks.folder.iterdir()) == []
