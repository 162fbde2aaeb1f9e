"""A loop over OpenAI's own client, asking a provider on loopback."""

from __future__ import annotations

import asyncio
import json
import threading

import openai as client_of_openai
import pytest
from pydantic import BaseModel

from toolsearch.adapters import openai
from toolsearch_hookspecs import Approve

from .conftest import ONLY, add

FORMS = ("openai-chat", "openai-responses")
CALL = {"id": "plugin:echo:say", "args": {"text": "hello"}}


def chat(content=None, *, reason="stop", calls=()):
    """A completion; `calls` are ids, names and arguments."""
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for id_, name, arguments in calls
        ]
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def response(content=None, *, reason=None, calls=()):
    """A response; one with a reason is incomplete."""
    said = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": content, "annotations": []}],
    }
    items = [
        {
            "type": "function_call",
            "id": f"fc_{id_}",
            "call_id": id_,
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }
        for id_, name, arguments in calls
    ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": [*([said] if content else []), *items],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": "completed" if reason is None else "incomplete",
        "incomplete_details": reason and {"reason": reason},
    }


ANSWER = {"openai-chat": chat, "openai-responses": response}


def streamed(form, whole, *, ends=True):
    """The chunks of an answer."""
    if form == "openai-responses":
        items = enumerate(whole["output"])
        events = [
            {"type": "response.output_item.done", "output_index": n, "item": item}
            for n, item in items
        ]
        events += [{"type": "response.completed", "response": whole}] if ends else []
        return [{"sequence_number": n, **event} for n, event in enumerate(events)]
    message = whole["choices"][0]["message"]
    deltas = [{"content": letter} for letter in message["content"] or ""]
    for index, call in enumerate(message.get("tool_calls") or ()):
        text = call["function"]["arguments"]
        begun = {**call["function"], "arguments": text[:5]}
        deltas.append({"tool_calls": [{**call, "index": index, "function": begun}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": text[5:]}}]})
    chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks += [{"index": 0, "delta": {}, "finish_reason": "stop"}] if ends else []
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return [{**head, "choices": [chunk]} for chunk in chunks]


@pytest.fixture
async def client(provider):
    base = f"{provider.url}/v1"
    async with client_of_openai.AsyncOpenAI(base_url=base, api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture
async def host(toolsearch_host, echo):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "ask": ["group:asked"]}}
    asked = echo.specs["say"].model_copy(update={"name": "ask_say", "groups": ("asked",)})
    echo.specs["ask_say"] = asked
    echo.functions["ask_say"] = echo.functions["say"]
    async with toolsearch_host(config, echo, only=ONLY) as host:
        yield host


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


@pytest.fixture
def answer(form):
    return ANSWER[form]


def user(text="say hello"):
    return [{"role": "user", "content": text}]


def sent(request):
    return request.get("messages", request.get("input"))


async def test_the_loop_goes_on_until_the_model_calls_nothing(host, provider, client, form, answer):
    provider.answers = [
        answer(calls=[("c1", "tool_search", {"query": "say"}), ("c2", "tool_call", {"id": "?"})]),
        answer("I say it.", calls=[("c3", "tool_call", CALL)]),
        answer("Done."),
    ]
    messages = user()
    run = await host.plan()
    done = await openai.conversation(client, run, messages, surface=form, model="m", top_p=0.5)
    assert (done.ended, done.text, len(done.answers)) == ("answered", "Done.", 3)
    assert done.answer.model == "m"
    names = [tool.get("function", tool)["name"] for tool in provider.requests[0]["tools"]]
    assert names == ["tool_search", "tool_describe", "tool_call"]
    assert provider.requests[0]["top_p"] == 0.5
    text = json.dumps(sent(provider.requests[1]))
    assert "plugin:echo:say" in text
    assert "unknown_tool" in text
    assert r"\"result\":\"hello\"" in json.dumps(sent(provider.requests[2]))
    assert messages[:-1] == sent(provider.requests[2])
    assert "Done." in json.dumps(messages[-1])


async def test_streamed_answers_are_handed_on_chunk_by_chunk(host, provider, client, form, answer):
    answers = [answer("So.", calls=[("c1", "tool_call", CALL)]), answer("Done.")]
    seen = []

    async def seeing(chunk):
        seen.append(chunk)

    for on_chunk in (seen.append, seeing):
        provider.answers = [streamed(form, each) for each in answers]
        messages = user()
        done = await openai.conversation(
            client, await host.plan(), messages, surface=form, on_chunk=on_chunk, model="m"
        )
        assert (done.ended, done.text) == ("answered", "Done.")
        assert seen == [chunk for chunks in done.answers for chunk in chunks]
        assert r"\"result\":\"hello\"" in json.dumps(messages)
        seen.clear()
    assert provider.requests[0]["stream"] is True


@pytest.mark.parametrize("how", ["whole", "streamed"])
async def test_an_answer_that_was_cut_is_not_carried_out(
    host, provider, client, form, answer, echo, how
):
    reason = {"openai-chat": "length", "openai-responses": "max_output_tokens"}[form]
    cut = answer("I sa", reason=reason, calls=[("c1", "tool_call", CALL)])
    provider.answers = [cut if how == "whole" else streamed(form, cut, ends=False)]
    messages = user()
    done = await openai.conversation(
        client,
        await host.plan(),
        messages,
        surface=form,
        on_chunk=None if how == "whole" else lambda chunk: None,
        model="m",
    )
    assert (done.ended, done.step) == ("cut", None)
    assert messages == user()
    assert echo.calls == []


async def test_the_loop_ends_at_the_last_step_with_every_call_answered(
    host, provider, client, form, answer
):
    provider.answers = [answer(calls=[("c1", "tool_call", CALL)]) for _ in range(9)]
    messages = user()
    run = await host.plan()
    done = await openai.conversation(client, run, messages, surface=form, max_steps=2, model="m")
    assert done.ended == "steps"
    assert len(provider.requests) == 2
    assert json.dumps(messages).count(r"\"result\":\"hello\"") == 2
    provider.answers = [answer("Done.")]
    done = await openai.conversation(client, run, messages, surface=form, model="m")
    assert done.ended == "answered"


async def test_an_error_of_the_client_passes_and_leaves_the_conversation_sound(
    host, provider, client, form, answer
):
    provider.answers = [answer(calls=[("c1", "tool_call", CALL)])]
    messages = user()
    run = await host.plan()
    with pytest.raises(client_of_openai.InternalServerError, match="no answer is left"):
        await openai.conversation(client, run, messages, surface=form, model="m")
    assert r"\"result\":\"hello\"" in json.dumps(messages)
    provider.answers = [answer("Done.")]
    assert (await openai.conversation(client, run, messages, surface=form, model="m")).text


async def test_a_loop_that_is_cancelled_stops_asking_and_keeps_what_was_done(
    host, provider, client, form, answer
):
    asked, release = threading.Event(), threading.Event()

    def hanging(request):
        asked.set()
        release.wait(20)
        return answer("late")

    provider.answers = [answer(calls=[("c1", "tool_call", CALL)]), hanging]
    messages = user()
    run = await host.plan()
    task = asyncio.create_task(openai.conversation(client, run, messages, surface=form, model="m"))
    await asyncio.to_thread(asked.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    assert messages == sent(provider.requests[1])
    assert len(provider.requests) == 2


ASK = ("c1", "tool_call", {"id": "ask_say", "args": {"text": "hello"}})


async def test_a_call_that_waits_for_a_person_ends_the_loop_until_it_is_answered(
    host, provider, client, form, answer, echo
):
    provider.answers = [answer(calls=[ASK]), answer("Done.")]
    messages = user()
    run = await host.plan(approvals="return")
    waiting = await openai.conversation(client, run, messages, surface=form, model="m")
    assert waiting.ended == "waits"
    assert messages == user()
    (request,) = waiting.step.pending
    result = await host.resume(request.id, Approve(by="you"))
    messages += waiting.step.answered(request.call.id, result).messages
    done = await openai.conversation(client, run, messages, surface=form, model="m")
    assert done.ended == "answered"
    assert echo.called == [("ask_say", {"text": "hello"})]


async def test_whoever_settles_waiting_calls_keeps_the_loop_going(
    host, provider, client, form, answer, echo
):
    provider.answers = [answer(calls=[ASK]), answer("Done.")]

    async def settle(step):
        for request in step.pending:
            result = await host.resume(request.id, Approve(by="you", arguments={"text": "hi"}))
            step = step.answered(request.call.id, result)
        return step

    run = await host.plan(approvals="return")
    done = await openai.conversation(client, run, user(), surface=form, settle=settle, model="m")
    assert done.ended == "answered"
    assert echo.called == [("ask_say", {"text": "hi"})]


async def test_the_prompt_of_the_run_goes_with_the_callers_own(
    toolsearch_host, provider, client, echo, form, answer
):
    config = {"tools": {"toolSearch": {"mode": "tools", "directory": True}}}
    async with toolsearch_host(config, echo) as host:
        run = await host.plan()
        provider.answers = [answer("Hi."), answer("Hi.")]
        head = [{"role": "developer", "content": "Be short."}]
        own = {"instructions": "Be short."} if form == "openai-responses" else {}
        messages = user() if own else head + user()
        await openai.conversation(client, run, messages, surface=form, model="m", **own)
        await openai.conversation(client, run, user(), surface=form, model="m")
    prompt = run.rendered(form).prompt
    assert "say" in prompt
    first, second = provider.requests
    if form == "openai-responses":
        assert first["instructions"] == f"Be short.\n\n{prompt}"
        assert second["instructions"] == prompt
    else:
        said = {"role": "developer", "content": f"Be short.\n\n{prompt}"}
        assert first["messages"] == [said, *user()]
        assert second["messages"] == [{"role": "system", "content": prompt}, *user()]
        assert messages[:2] == head + user()


async def test_tools_of_the_provider_stand_beside_the_runs(host, provider, client):
    provider.answers = [response("Hi.")]
    run, theirs = await host.plan(), {"type": "web_search"}
    await openai.conversation(
        client, run, user(), surface="openai-responses", model="m", tools=[theirs]
    )
    assert provider.requests[0]["tools"] == [*openai.tools_of(run, "openai-responses"), theirs]


async def test_a_run_without_tools_sends_none(toolsearch_host, provider, client):
    provider.answers = [chat("Hi.")]
    async with toolsearch_host({}, only=ONLY) as host:
        await openai.conversation(client, await host.plan(), user(), model="m")
    assert "tools" not in provider.requests[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"stream": True}, "on_chunk"),
        ({"previous_response_id": "r", "surface": "openai-responses"}, "leave out previous"),
    ],
)
async def test_what_would_break_the_loop_is_refused_before_anything_is_sent(
    host, provider, client, more, said
):
    with pytest.raises(TypeError, match=said):
        await openai.conversation(client, await host.plan(), user(), model="m", **more)
    with pytest.raises(ValueError, match="1 or more"):
        await openai.conversation(client, await host.plan(), user(), max_steps=0, model="m")
    assert provider.requests == []


async def test_a_client_that_would_hold_up_the_loop_is_refused(host, provider):
    with (
        client_of_openai.OpenAI(base_url=provider.url, api_key="k") as client,
        pytest.raises(TypeError, match=r"openai\.AsyncOpenAI"),
    ):
        await openai.conversation(client, await host.plan(), user(), model="m")


class add_numbers(BaseModel):  # noqa: N801  the name of the tool
    """Add two numbers."""

    a: int
    b: int = 1


PLAIN = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a"],
    },
}


async def add_later(a, b=1):
    await asyncio.sleep(0)
    return a + b


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": PLAIN},
        {"type": "function", "strict": False, **PLAIN},
        client_of_openai.pydantic_function_tool(add_numbers, name="add"),
    ],
    ids=["chat", "responses", "pydantic"],
)
@pytest.mark.parametrize("function", [add, add_later], ids=["plain", "async"])
async def test_function_tools_are_a_source(adds, tool, function):
    source = openai.source_of([tool], functions={"add": function})
    assert await adds(source, "openai") == 5


async def test_a_function_that_blocks_holds_up_nobody_and_what_one_raises_is_told(toolsearch_host):
    release = threading.Event()
    tools = [{"type": "function", "function": {"name": name}} for name in ("wait", "release")]

    def freed():
        release.set()
        raise KeyError("no such thing")

    source = openai.source_of(tools, functions={"wait": lambda: release.wait(20), "release": freed})
    async with toolsearch_host(None, sources=[source], only=ONLY) as host:
        run = await host.plan()
        waited, failed = await asyncio.gather(run.handle("wait", {}), run.handle("release", {}))
    assert waited.value is True
    assert (failed.error.code, failed.error.message) == ("tool_error", "KeyError: 'no such thing'")


@pytest.mark.parametrize(
    ("tools", "functions", "said"),
    [
        ([{"type": "web_search"}], {}, "'web_search' is the provider's"),
        ([{"type": "function", "function": {}}], {}, "has no name"),
        ([PLAIN], {}, "no function executes add"),
        ([PLAIN], {"add": add, "sub": add}, "has sub, which no definition names"),
    ],
)
def test_tools_and_functions_that_do_not_fit_are_refused(tools, functions, said):
    with pytest.raises(ValueError, match=said):
        openai.source_of(tools, functions=functions)


@pytest.mark.parametrize("function", [add, add_later], ids=["plain", "async"])
async def test_function_tools_are_the_callers_own_for_one_run(toolsearch_host, function):
    tools = openai.client_tools_of([PLAIN], {"add": function})
    async with toolsearch_host(only=ONLY) as host:
        run = await host.plan(client_tools=tools)
        done = await run.handle("tool_call", {"id": "client:app:add", "args": {"a": 2, "b": 3}})
    assert done.value["result"] == 5


async def test_a_function_tool_without_a_function_is_handed_back(toolsearch_host):
    tools = openai.client_tools_of([{"type": "function", "function": PLAIN}])
    message = chat(calls=[("c1", "add", {"a": 2, "b": 3})])
    async with toolsearch_host(only=ONLY) as host:
        run = await host.plan(client_tools=tools)
        step = await run.respond(message, surface="openai-chat")
        (call,) = step.handed_back
        step = step.answered(call.id, await run.deliver(call.id, add(**call.arguments)))
    assert step.messages[-1]["content"] == "5"


def test_a_function_of_no_client_tool_is_refused():
    with pytest.raises(ValueError, match="has sub, which no definition names"):
        openai.client_tools_of([PLAIN], {"sub": add})
