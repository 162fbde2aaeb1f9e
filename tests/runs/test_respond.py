"""One whole step with a model's message (`run.respond`), in a whole host."""

import asyncio
import json

import pytest

from toolsearch import ClientTool, ConfigError, SyncHost
from toolsearch_hookspecs import Approve, Ask, ToolError, ToolSpec, hookimpl
from toolsearch_surface_anthropic import MessagesSurface
from toolsearch_surface_openai import ChatSurface, ResponsesSurface

from ..conftest import ListSource


class Speaks:
    """A plugin that yields surfaces."""

    def __init__(self, *surfaces):
        self.surfaces = surfaces

    @hookimpl
    def toolsearch_surfaces(self, plugin):
        return self.surfaces


class Asks:
    """A person is asked about every call of one tool."""

    def __init__(self, name):
        self.name = name

    @hookimpl
    def toolsearch_before_tool_call(self, call):
        return Ask(reason="it costs money") if call.tool.name == self.name else None


def speaking(started, *sources, plugins=(), mode="direct", surfaces=None):
    batteries = ["surface-openai", "surface-anthropic", "surface-gemini"]
    config = {
        "tools": {"toolSearch": {"mode": mode, "enabled": mode != "direct"}},
        "plugins": {"disabled": batteries},
    }
    given = surfaces or (ChatSurface(), ResponsesSurface(), MessagesSurface())
    return started(config, *sources, plugins=[("speaks", Speaks(*given)), *plugins])


def said(*calls):
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id_, "function": {"name": name, "arguments": json.dumps(arguments)}}
            for id_, name, arguments in calls
        ],
    }


def told(step):
    return [json.loads(message["content"]) for message in step.results]


async def test_parallel_calls_run_side_by_side_and_are_answered_in_their_order(started):
    second_ran = asyncio.Event()

    async def first():
        await second_ran.wait()
        return 1

    async def second():
        second_ran.set()
        return 2

    host = await speaking(started, ListSource("s", {"first": first, "second": second}))
    run = await host.plan(provider="openai-chat")
    step = await run.respond(said(("a", "first", {}), ("b", "second", {})))
    assert [message["tool_call_id"] for message in step.results] == ["a", "b"]
    assert told(step) == [1, 2]


async def test_one_call_that_fails_leaves_its_siblings_answered(started):
    def fail():
        raise ToolError("no paper")

    host = await speaking(started, ListSource("s", {"fail": fail, "good": lambda: "fine"}))
    run = await host.plan(provider="openai-chat")
    step = await run.respond(said(("a", "fail", {}), ("b", "good", {}), ("c", "no_tool", {})))
    failed, good, unknown = [message["content"] for message in step.results]
    assert json.loads(failed)["error"]["message"] == "no paper"
    assert good == "fine"
    assert json.loads(unknown)["error"]["code"] == "unknown_tool"


async def test_ids_that_a_model_gives_twice_or_not_at_all_mix_nothing_up(started):
    host = await speaking(started, ListSource("s", {"twice": lambda n: n * 2}))
    run = await host.plan(provider="openai-chat")
    calls = [("x", "twice", {"n": 1}), ("x", "twice", {"n": 2}), ("", "twice", {"n": 3})]
    step = await run.respond(said(*calls))
    assert told(step) == [2, 4, 6]
    assert [message["tool_call_id"] for message in step.results] == ["x", "x", ""]
    assert len({answer.call_id for answer in step.answers}) == 3


async def test_a_message_without_calls_is_the_answer(started):
    run = await (await speaking(started)).plan(provider="openai-chat")
    step = await run.respond({"role": "assistant", "content": "Hello."})
    assert step.done
    assert step.messages == ({"role": "assistant", "content": "Hello."},)


async def test_a_call_handed_back_waits_for_the_caller_beside_one_that_was_answered(started):
    host = await speaking(started, ListSource("s", {"good": lambda: "fine"}))
    run = await host.plan(
        provider="openai-chat", client_tools=[ClientTool(spec=ToolSpec(name="select_file"))]
    )
    step = await run.respond(said(("a", "select_file", {}), ("b", "good", {})))
    assert step.waits
    with pytest.raises(LookupError, match="wait for their results: a"):
        _ = step.messages
    (call,) = step.handed_back
    assert call.tool.name == "select_file"
    step = step.answered(call.id, await run.deliver(call.id, "notes.txt"))
    assert not step.waits
    assert [message["content"] for message in step.results] == ["notes.txt", "fine"]
    with pytest.raises(LookupError, match="no call a of this step waits"):
        step.answered(call.id, step.answers[1].result)


async def test_a_pending_approval_is_shown_and_its_result_takes_its_place(started):
    host = await speaking(
        started, ListSource("s", {"pay": lambda: "paid"}), plugins=[("asks", Asks("pay"))]
    )
    run = await host.plan(provider="openai-chat", approvals="return")
    step = await run.respond(said(("a", "pay", {})))
    (request,) = step.pending
    assert request.reasons[0].reason == "it costs money"
    result = await host.resume(request.id, Approve(by="me"))
    step = step.answered(request.call.id, result)
    assert step.results[0]["content"] == "paid"


async def test_a_step_that_is_cancelled_cancels_its_calls(started):
    running, cancelled = asyncio.Event(), asyncio.Event()

    async def forever():
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    host = await speaking(started, ListSource("s", {"forever": forever}))
    run = await host.plan(provider="openai-chat")
    step = asyncio.create_task(run.respond(said(("a", "forever", {}))))
    await running.wait()
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    assert cancelled.is_set()


async def test_the_surface_is_the_one_asked_for_else_the_runs_provider(started):
    host = await speaking(started, ListSource("s", {"good": lambda: 1}))
    run = await host.plan(provider="anthropic")
    assert "input_schema" in run.rendered().tools[0]
    assert "function" in run.rendered("openai-chat").tools[0]


async def test_what_a_provider_has_changed_is_said_once_a_run(started):
    host = await speaking(started, ListSource("s", {"mess höhe": lambda: 1}))
    run = await host.plan(provider="openai-chat")
    run.rendered()
    run.rendered()
    (said,) = [each for each in run.diagnostics if each.code == "surface_changed"]
    assert said.message == (
        "1 tool is sent to openai-chat otherwise than written: mess höhe: sent as mess_h_he"
    )


async def test_a_surface_that_is_not_there_is_an_error_that_says_which_are(started):
    host = await speaking(started)
    with pytest.raises(ConfigError, match=r"did you mean 'openai-chat'\?.*there are: anthropic"):
        (await host.plan()).rendered("openai-chta")
    with pytest.raises(ConfigError, match=r"by surface= or plan\(provider=\.\.\.\)"):
        (await host.plan()).rendered()
    with pytest.raises(ConfigError, match="surface='openai-chat' or surface='openai-responses'"):
        (await host.plan(provider="openai")).rendered()


async def test_a_tool_that_no_provider_would_take_as_it_is_works_through_the_compact_surface(
    started,
):
    source = ListSource("s", {"pay": lambda **given: given})
    schema = {
        "oneOf": [
            {"properties": {"card": {"type": "string"}}, "required": ["card"]},
            {"properties": {"iban": {"type": "string"}}, "required": ["iban"]},
        ]
    }
    source.specs["pay"] = ToolSpec(name="pay", description="Pay.", input_schema=schema)
    host = await speaking(started, source, mode="tools")
    run = await host.plan(provider="openai-chat")
    assert run.rendered().changes == ()
    assert "oneOf" not in json.dumps(run.rendered().tools)
    step = await run.respond(
        said(
            ("a", "tool_describe", {"id": "pay"}),
            ("b", "tool_call", {"id": "pay", "args": {"iban": "DE1"}}),
            ("c", "tool_call", {"id": "pay", "args": {"cash": 1}}),
        )
    )
    described, paid, refused = told(step)
    assert described["inputSchema"] == schema
    assert paid["result"] == {"iban": "DE1"}
    assert refused["error"]["code"] == "invalid_arguments"


async def test_a_run_left_to_the_providers_search_shows_plain_tools_and_searches_as_its_client(
    started,
):
    source = ListSource("s", {"pay_invoice": lambda: "paid", "ship": lambda: 1})
    host = await speaking(started, source, mode="tools")
    run = await host.plan(provider="anthropic", harness="codex")
    assert [tool.name for tool in run.surface.tools] == ["pay_invoice", "ship"]
    rendered = run.rendered()
    assert rendered.search == "tool_search"
    assert set(rendered.deferred) == {"pay_invoice", "ship"}
    plain = run.rendered("openai-chat")
    assert [tool["function"]["name"] for tool in plain.tools] == ["pay_invoice", "ship"]
    use = {"type": "tool_use", "id": "t", "name": "tool_search", "input": {"query": "pay invoice"}}
    step = await run.respond({"role": "assistant", "content": [use]})
    (result,) = step.results[0]["content"]
    assert result["content"] == [{"type": "tool_reference", "tool_name": "pay_invoice"}]
    assert run.counters.searches == 1


def test_a_program_without_an_event_loop_does_whole_steps_too(tmp_path):
    given = {"environ": {}, "state_dir": tmp_path}
    source = ListSource("s", {"pay": lambda amount: {"paid": amount}})
    with SyncHost({"tools": {"toolSearch": {"mode": "tools"}}}, sources=[source], **given) as host:
        run = host.plan(provider="openai-chat")
        step = run.respond(said(("a", "tool_call", {"id": "pay", "args": {"amount": 3}})))
        assert told(step)[0]["result"] == {"paid": 3}
        assert len(run.rendered().tools) == 3
