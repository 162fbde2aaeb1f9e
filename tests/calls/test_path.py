"""The path of every real call (S7), by every way in."""

import asyncio

import pytest

from toolsearch import CallError
from toolsearch_hookspecs import (
    Approve,
    Ask,
    Deny,
    PolicyAnswer,
    Proceed,
    Reject,
    Ruling,
    ToolAnnotations,
    ToolError,
    ToolSpec,
    hookimpl,
)

from ..conftest import ListSource

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}


def adder(**more):
    source = ListSource("math", {"add": lambda a, b: a + b})
    source.specs["add"] = ToolSpec(name="add", description="add", input_schema=NUMBERS, **more)
    return source


class Hooks:
    """A plugin whose before and after answers are given, and which keeps what it saw."""

    def __init__(self, before=None, after=None):
        self.answers = before, after
        self.before, self.after = [], []

    @hookimpl
    async def toolsearch_before_tool_call(self, call):
        self.before.append(call)
        return self.answers[0]

    @hookimpl
    async def toolsearch_after_tool_call(self, call, result):
        self.after.append((call, result))
        return self.answers[1]


class Approver:
    def __init__(self, *decisions):
        self.decisions = list(decisions)
        self.requests = []

    @hookimpl
    async def toolsearch_approve(self, request):
        self.requests.append(request)
        return self.decisions.pop(0) if self.decisions else None


class Policy:
    def __init__(self, decide):
        self.decide = decide
        self.seen = []

    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        self.seen.append(arguments)
        return self.decide(tools, arguments)


def asks(tools, arguments):
    return PolicyAnswer(asks={tool.id: Ruling(reason="look first") for tool in tools})


WAYS = {
    "tool_call": lambda run, args: run.handle("tool_call", {"id": "plugin:math:add", "args": args}),
    "hydration": lambda run, args: run.handle("add", args),
    "program": lambda run, args: run.call("plugin:math:add", args),
}


@pytest.mark.parametrize("way", [*WAYS, "direct", "bridge"])
async def test_each_hook_and_each_record_is_had_exactly_once_by_every_way_in(started, way):
    hooks, policy = Hooks(), Policy(lambda tools, arguments: PolicyAnswer())
    config = {} if way == "direct" else None
    host = await started(config, adder(), plugins=[("hooks", hooks), ("policy", policy)])
    run = await host.plan()
    match way:
        case "direct":
            await run.handle("add", {"a": 1, "b": 2})
        case "bridge":
            answer = await run.bridge("body").call("plugin:math:add", {"a": 1, "b": 2})
            about = {"id": "plugin:math:add", "name": "add", "source": "plugin"}
            assert answer == {"tool": about, "result": 3}
        case _:
            result = await WAYS[way](run, {"a": 1, "b": 2})
            assert not result.is_error
    await host.plugins.hooks.drain()
    assert (len(hooks.before), len(hooks.after)) == (1, 1)
    assert hooks.before[0].id == hooks.after[0][0].id
    assert [seen for seen in policy.seen if seen is not None] == [{"a": 1, "b": 2}]
    assert len(host.events.of("call.started")) == len(host.events.of("call.ended")) == 1
    (ended,) = host.events.of("call.ended")
    assert (ended.data["tool"], ended.data["ok"], ended.data["executed"]) == (
        "plugin:math:add",
        True,
        True,
    )
    assert run.counters.calls == 1


@pytest.mark.parametrize("way", WAYS)
async def test_a_denial_by_a_hook_says_who_and_why_and_nothing_is_executed(started, way):
    source = adder()
    host = await started(None, source, plugins=[("guard", Hooks(Deny(reason="not today")))])
    run = await host.plan()
    error = (await WAYS[way](run, {"a": 1, "b": 2})).error
    assert (error.code, error.by) == ("blocked", "guard")
    assert error.message.startswith("not today")
    assert source.calls == []
    assert run.counters.denials == 1


async def test_arguments_that_a_hook_changed_pass_policy_and_validation_again(started):
    source = adder()

    def no_nine(tools, arguments):
        nine = arguments is not None and arguments.get("a") == 9
        return PolicyAnswer(denied={tool.id: Ruling(reason="nine") for tool in tools if nine})

    for changed, code in (({"a": 9, "b": 1}, "blocked"), ({"a": "x", "b": 1}, "invalid_arguments")):
        plugins = [("hooks", Hooks(Proceed(arguments=changed))), ("policy", Policy(no_nine))]
        host = await started(None, source, plugins=plugins)
        run = await host.plan()
        assert (await run.call("add", {"a": 1, "b": 1})).error.code == code
    assert source.calls == []


async def test_a_policy_that_raises_at_the_call_denies_it(started):
    def breaks(tools, arguments):
        if arguments is not None:
            raise RuntimeError
        return PolicyAnswer()

    source = adder()
    host = await started(None, source, plugins=[("policy", Policy(breaks))])
    run = await host.plan()
    assert (await run.call("add", {"a": 1, "b": 1})).error.code == "blocked"
    assert source.calls == []


async def test_wrong_arguments_are_not_executed_and_the_error_teaches(started):
    source = adder()
    host = await started(None, source)
    run = await host.plan()
    error = (await run.handle("tool_call", {"id": "add", "args": {"a": 1, "bb": 2}})).error
    assert error.code == "invalid_arguments"
    assert "`b` is required" in error.message
    assert "{ a: integer; b: integer }" in error.message
    assert source.calls == []


async def test_nobody_to_approve_is_a_denial_that_says_so(started):
    source = adder(approval="it costs money")
    host = await started({"plugins": {"disabled": ["approval-store"]}}, source)
    run = await host.plan()
    error = (await run.call("add", {"a": 1, "b": 1})).error
    assert error.code == "blocked"
    assert source.calls == []


async def test_an_approver_sees_the_real_tool_its_arguments_and_every_reason(started):
    approver = Approver(Approve())
    plugins = [
        ("approver", approver),
        ("policy", Policy(asks)),
        ("hooks", Hooks(Ask(reason="hook"))),
    ]
    host = await started(None, adder(approval="mark"), plugins=plugins)
    run = await host.plan()
    result = await run.handle("tool_call", {"id": "add", "args": {"a": 1, "b": 1}})
    assert result.value["result"] == 2
    (request,) = approver.requests
    assert (request.tool.id, dict(request.call.arguments)) == ("plugin:math:add", {"a": 1, "b": 1})
    assert [(reason.by, reason.reason) for reason in request.reasons] == [
        ("policy", "look first"),
        ("hooks", "hook"),
        ("plugin:math:add", "mark"),
    ]


async def test_edited_arguments_are_validated_and_executed_as_edited(started):
    source = adder(approval="mark")
    approver = Approver(Approve(arguments={"a": 5, "b": 5}), Approve(arguments={"a": "no"}))
    host = await started(None, source, plugins=[("approver", approver)])
    run = await host.plan()
    assert (await run.call("add", {"a": 1, "b": 1})).value == 10
    assert (await run.call("add", {"a": 1, "b": 1})).error.code == "invalid_arguments"
    assert len(source.calls) == 1


async def test_a_rejection_carries_the_message_to_the_model(started):
    approver = Approver(Reject(message="use the other account", by="someone"))
    host = await started(None, adder(approval="mark"), plugins=[("approver", approver)])
    run = await host.plan()
    error = (await run.call("add", {"a": 1, "b": 1})).error
    assert "use the other account" in error.message
    assert error.by == "someone (approver)"


async def test_a_tool_that_changed_while_a_person_decided_is_not_executed(started):
    source = adder(approval="mark")

    class Swaps:
        @hookimpl
        async def toolsearch_approve(self, request):
            source.specs["add"] = source.specs["add"].model_copy(update={"description": "evil"})
            source.generation += 1
            source.changed()
            await asyncio.sleep(0)
            return Approve()

    host = await started(None, source, plugins=[("swaps", Swaps())])
    run = await host.plan()
    assert (await run.call("add", {"a": 1, "b": 1})).error.code == "unavailable"
    assert source.calls == []


async def test_a_pending_approval_comes_back_and_is_resumed_in_the_process(started):
    source = adder(approval="mark")
    host = await started(None, source)
    run = await host.plan(approvals="return")
    result = await run.handle("tool_call", {"id": "add", "args": {"a": 1, "b": 2}})
    assert result.error.code == "approval_pending"
    assert source.calls == []
    done = await host.resume(result.pending.id, Approve(by="console"))
    assert done.value["result"] == 3
    with pytest.raises(LookupError):
        await host.resume(result.pending.id, Approve())
    assert len(source.calls) == 1


async def test_a_pending_approval_is_resumed_by_another_host_from_json_once(started):
    source = adder(approval="mark")
    host = await started(None, source)
    run = await host.plan(approvals="return", agent="boss")
    pending = (await run.handle("add", {"a": 1, "b": 2})).pending
    text = pending.model_dump_json()
    await host.aclose()

    other_source = adder(approval="mark")
    other = await started(None, other_source)
    again = type(pending).model_validate_json(text)
    assert (await other.resume(again, Approve())).value == 3
    assert other_source.calls[0].run.agent == "boss"
    with pytest.raises(ValueError, match="carried out before"):
        await other.resume(again, Approve())
    forged = again.model_copy(
        update={"call": again.call.model_copy(update={"arguments": {"a": 7}})}
    )
    with pytest.raises(ValueError, match="changed"):
        await other.resume(forged, Approve())
    assert len(other_source.calls) == 1


async def test_a_resumed_call_meets_the_policy_of_now(started):
    host = await started(None, adder(approval="mark"))
    run = await host.plan(approvals="return")
    pending = (await run.handle("add", {"a": 1, "b": 2})).pending
    await host.aclose()

    def closed(tools, arguments):
        return PolicyAnswer(denied={tool.id: Ruling(reason="closed") for tool in tools})

    source = adder(approval="mark")
    other = await started(None, source, plugins=[("policy", Policy(closed))])
    assert (await other.resume(pending, Approve())).is_error
    assert source.calls == []


async def test_a_client_call_is_handed_back_and_its_result_delivered(started):
    from toolsearch import ClientTool

    hooks = Hooks()
    host = await started(None, adder(), plugins=[("hooks", hooks)])
    spec = ToolSpec(name="pick_file", input_schema={"type": "object"})
    run = await host.plan(client_tools=[ClientTool(spec=spec)])
    assert "pick_file" in [tool.name for tool in run.surface.tools]
    handed = await run.handle("pick_file", {"folder": "docs"}, call_id="c1")
    assert handed.handed_back.arguments == {"folder": "docs"}
    assert hooks.after == []
    final = await run.deliver("c1", {"file": "a.txt"})
    assert final.value == {"file": "a.txt"}
    assert (len(hooks.before), len(hooks.after)) == (1, 1)
    with pytest.raises(LookupError):
        await run.deliver("c1", {})


async def test_a_direct_only_tool_does_not_cross_the_bridge(started):
    source = adder(catalog_mode="direct-only")
    host = await started(None, source)
    run = await host.plan()
    answer = await run.handle("tool_call", {"id": "add", "args": {"a": 1, "b": 1}})
    assert answer.error.code == "invalid_arguments"
    with pytest.raises(CallError):
        await run.bridge("b").call("add", {"a": 1, "b": 1})
    assert (await run.handle("add", {"a": 1, "b": 1})).value == 2
    assert (await run.describe("add"))["name"] == "add"


async def test_a_tool_that_hangs_is_cancelled_at_its_deadline(started):
    ended = asyncio.Event()

    async def forever():
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    source = ListSource("slow", {"wait": forever})
    source.specs["wait"] = ToolSpec(name="wait", timeout_ms=30)
    host = await started(None, source)
    run = await host.plan()
    error = (await run.call("wait")).error
    assert (error.code, error.executed) == ("timeout", True)
    assert ended.is_set()


async def test_a_run_with_a_deadline_cuts_its_calls_short_and_begins_none_after_it(started):
    async def forever():
        await asyncio.Event().wait()

    source = ListSource("slow", {"wait": forever, "quick": lambda: 1})
    host = await started(None, source)
    run = await host.plan(timeout_ms=150)
    error = (await run.call("wait")).error
    assert (error.code, error.executed) == ("timeout", True)
    late = (await run.call("quick")).error
    assert (late.code, late.executed) == ("timeout", False)
    assert [call.tool.name for call in source.calls] == ["wait"]


async def test_cancelling_the_caller_cancels_the_tool_and_is_recorded(started):
    running, ended = asyncio.Event(), asyncio.Event()

    async def forever():
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    host = await started(None, ListSource("slow", {"wait": forever}))
    run = await host.plan()
    task = asyncio.ensure_future(run.call("wait"))
    await running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    await host.plugins.hooks.drain()
    assert host.events.of("call.ended")[0].data["code"] == "cancelled"


@pytest.mark.parametrize(
    ("raised", "code", "text"),
    [
        (ToolError("the disk is full"), "tool_error", "the disk is full"),
        (RuntimeError("/home/secret"), "tool_error", "RuntimeError"),
        (SystemExit(3), "tool_error", "SystemExit"),
    ],
)
async def test_whatever_a_tool_raises_is_an_error_result(started, raised, code, text):
    def breaks():
        raise raised

    host = await started(None, ListSource("s", {"t": breaks}))
    run = await host.plan()
    error = (await run.call("t")).error
    assert (error.code, error.executed) == (code, True)
    assert text in error.message
    assert "/home" not in error.message


async def test_a_result_that_violates_its_own_schema_is_an_error_that_carries_it(started):
    source = ListSource("s", {"t": lambda: {"n": "x"}})
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    source.specs["t"] = ToolSpec(name="t", output_schema=schema)
    host = await started(None, source)
    run = await host.plan()
    result = await run.call("t")
    assert (result.error.code, result.error.executed) == ("invalid_result", True)
    assert result.value == {"n": "x"}
    assert "side effects may have happened" in result.error.message


async def test_a_large_result_is_cut_said_and_readable_on(started):
    source = ListSource("s", {"t": lambda: "x" * 200_000})
    host = await started(None, source)
    run = await host.plan()
    first = await run.handle("tool_call", {"id": "t"})
    assert len(first.text.encode()) <= 65_536
    import json
    import re

    asked = json.loads(re.search(r"\{.*\}", first.note)[0])
    pieces = [first.value["result"]]
    while asked:
        answer = await run.handle(
            "tool_call", {"id": "openclaw:toolsearch:read_result", "args": asked}
        )
        assert answer.value["tool"]["id"] == "openclaw:toolsearch:read_result"
        pieces.append(answer.value["result"])
        found = re.search(r"with (\{.*\})", answer.note)
        asked = json.loads(found[1]) if found else None
    assert "".join(pieces) == "x" * 200_000
    other = await host.plan()
    handle = json.loads(re.search(r"\{.*\}", first.note)[0])
    stolen = await other.handle(
        "tool_call", {"id": "openclaw:toolsearch:read_result", "args": handle}
    )
    assert stolen.is_error


async def test_a_run_of_identical_failing_calls_is_stopped(started):
    source = adder()
    host = await started(None, source)
    run = await host.plan()
    codes = [(await run.call("add", {"a": 1})).error.code for _ in range(5)]
    assert codes == ["invalid_arguments"] * 3 + ["loop"] * 2
    assert (await run.call("add", {"a": 1, "b": 1})).value == 2


async def test_sequential_tools_run_one_at_a_time_across_the_run(started):
    running, most = 0, 0

    async def step():
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    source = ListSource("s", {"t": step, "u": step})
    for name in ("t", "u"):
        source.specs[name] = ToolSpec(name=name, sequential=True)
    host = await started(None, source)
    run = await host.plan()
    await asyncio.gather(*(run.call(name) for name in ("t", "u") * 5))
    assert most == 1
    assert len(source.calls) == 10


async def test_a_hook_after_the_call_may_replace_or_withhold_and_a_broken_one_withholds(started):
    class Breaks:
        @hookimpl
        async def toolsearch_after_tool_call(self, call, result):
            raise RuntimeError

    host = await started(None, adder(), plugins=[("breaks", Breaks())])
    run = await host.plan()
    result = await run.call("add", {"a": 1, "b": 1})
    assert (result.error.code, result.error.executed, result.value) == ("withheld", True, None)


async def test_denied_looks_absent_by_every_way(started):
    def closed(tools, arguments):
        return PolicyAnswer(
            denied={t.id: Ruling(reason="no") for t in tools if t.name == "delete_all"},
            cache_key="k",
        )

    source = ListSource("shop", {"delete_all": lambda: 1, "list_all": lambda: 2})
    absent = ListSource("shop", {"list_all": lambda: 2})
    texts = []
    for given in (source, absent):
        host = await started(None, given, plugins=[("policy", Policy(closed))])
        run = await host.plan()
        texts.append(
            [
                (await run.handle("tool_search", {"query": "delete all"})).text,
                (await run.handle("tool_search", {"query": "select:delete_all"})).text,
                (await run.handle("tool_describe", {"id": "plugin:shop:delete_all"})).text,
                (await run.handle("tool_call", {"id": "plugin:shop:delete_all"})).text,
                (await run.handle("tool_call", {"id": "delete_all"})).text,
                (await run.handle("delete_all", {})).text,
                run.surface.model_dump_json(),
            ]
        )
    assert texts[0] == texts[1]
    assert source.calls == []


def test_annotations_are_read_in_the_words_of_mcp():
    assert ToolAnnotations.model_validate({"readOnlyHint": True}).read_only is True


async def test_a_misspelt_field_is_refused_also_where_the_schema_is_open(started):
    source = ListSource("tracker", {"open_issue": lambda **given: given})
    source.specs["open_issue"] = ToolSpec(
        name="open_issue",
        input_schema={
            "type": "object",
            "properties": {"title": {"type": "string"}, "labels": {"type": "array"}},
        },
    )
    host = await started(None, source)
    run = await host.plan()
    error = (await run.call("open_issue", {"title": "x", "lables": []})).error
    assert error.code == "invalid_arguments"
    assert "`labels`" in error.message
    assert source.calls == []


async def test_a_result_too_deep_to_check_is_given_and_said_to_be_unchecked(started):
    deep = {}
    for _ in range(5_000):
        deep = {"d": deep}
    source = ListSource("s", {"t": lambda: deep})
    recursive = {"type": "object", "properties": {"d": {"$ref": "#"}}}
    source.specs["t"] = ToolSpec(name="t", output_schema=recursive)
    host = await started(None, source)
    result = await (await host.plan()).call("t")
    assert result.error is None or result.error.code == "invalid_result"
