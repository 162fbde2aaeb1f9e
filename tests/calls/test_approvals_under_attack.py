"""What must not get a call past a person."""

import asyncio

import pytest

from toolsearch_hookspecs import (
    ApprovalRequest,
    Approve,
    PolicyAnswer,
    Reject,
    Ruling,
    ToolSpec,
    hookimpl,
)

from ..conftest import ListSource

ANYTHING = {"type": "object"}


def bank(**spec):
    source = ListSource("bank", {"pay": lambda **given: given})
    source.specs["pay"] = ToolSpec(
        name="pay", input_schema=ANYTHING, **{"approval": "it costs money", **spec}
    )
    return source


class Person:
    """Answers when told to."""

    def __init__(self, decision=None):
        self.decision = decision
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    @hookimpl
    async def toolsearch_approve(self, request):
        self.asked.set()
        await self.may_answer.wait()
        return self.decision


async def pending(run, arguments=None, **more):
    result = await run.handle("pay", {"to": "ann"} if arguments is None else arguments, **more)
    assert result.pending is not None
    return result.pending


@pytest.mark.parametrize(
    "nonsense", [None, True, "approve", {"decision": "approve"}, Approve, object()]
)
async def test_what_is_no_decision_is_never_taken_for_a_yes(started, nonsense):
    source = bank()
    host = await started(None, source)
    run = await host.plan(approvals="return")
    request = await pending(run)
    for asked in (request.id, request):
        with pytest.raises(TypeError, match=r"Approve\(\.\.\.\) or Reject"):
            await host.resume(asked, nonsense)
    assert source.calls == []
    assert (await host.resume(request.id, Approve())).error is None
    assert len(source.calls) == 1


async def test_arguments_that_an_approver_changes_after_it_answered_do_not_reach_the_tool(started):
    source, edited = bank(), {"to": "bob", "also": ["x"]}
    changed = False

    class Edits:
        @hookimpl
        async def toolsearch_approve(self, request):
            return Approve(arguments=edited)

        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            nonlocal changed
            if arguments is not None and arguments.get("to") == "bob":
                edited["to"], changed = "eve", True
                edited["also"].append("eve")
            return PolicyAnswer()

    host = await started(None, source, plugins=[("edits", Edits())])
    result = await (await host.plan()).call("pay", {"to": "ann"})
    assert changed
    assert result.value == {"to": "bob", "also": ["x"]}


async def test_edited_arguments_that_policy_denies_are_not_executed(started):
    source = bank()

    class Rules:
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            evil = arguments is not None and arguments.get("to") == "eve"
            return PolicyAnswer(denied={t.id: Ruling(reason="eve") for t in tools if evil})

    host = await started(None, source, plugins=[("rules", Rules())])
    run = await host.plan(approvals="return")
    request = await pending(run)
    result = await host.resume(request.id, Approve(arguments={"to": "eve"}))
    assert (result.error.code, source.calls) == ("blocked", [])


async def test_each_of_two_runs_with_equal_call_ids_gets_its_own_answer(started):
    source = bank()
    host = await started(None, source)
    first, second = [await host.plan(approvals="return") for _ in range(2)]
    one = await pending(first, {"to": "one"}, call_id="call_1")
    two = await pending(second, {"to": "two"}, call_id="call_1")
    async with asyncio.timeout(20):
        assert (await host.resume(two.id, Approve())).value == {"to": "two"}
        assert (await host.resume(one.id, Reject())).error.code == "blocked"
    assert [call.arguments for call in source.calls] == [{"to": "two"}]


async def test_a_second_call_under_the_id_of_one_that_waits_is_refused(started):
    source = bank()
    host = await started(None, source)
    run = await host.plan(approvals="return")
    request = await pending(run, {"to": "ann"}, call_id="c")
    again = await run.handle("pay", {"to": "eve"}, call_id="c")
    assert (again.error.code, again.pending) == ("invalid_arguments", None)
    assert (await host.resume(request.id, Approve())).value == {"to": "ann"}
    assert len(source.calls) == 1


async def test_a_request_carried_out_by_another_process_is_not_carried_out_here_too(started):
    source, elsewhere = bank(), bank()
    host, other = await started(None, source), await started(None, elsewhere)
    run = await host.plan(approvals="return")
    request = await pending(run)
    copy = ApprovalRequest.model_validate_json(request.model_dump_json())
    assert (await other.resume(copy, Approve())).error is None
    result = await host.resume(request.id, Approve())
    assert (result.error.code, result.error.executed) == ("blocked", False)
    assert "carried out elsewhere" in result.error.message
    assert (len(source.calls), len(elsewhere.calls)) == (0, 1)


async def test_a_request_carried_out_here_is_not_carried_out_by_another_process_too(started):
    source, elsewhere = bank(), bank()
    host, other = await started(None, source), await started(None, elsewhere)
    request = await pending(await host.plan(approvals="return"))
    await host.resume(request.id, Approve())
    with pytest.raises(ValueError, match="carried out before"):
        await other.resume(request, Approve())
    assert (len(source.calls), len(elsewhere.calls)) == (1, 0)


@pytest.mark.parametrize("late", [Approve(by="me"), Reject(by="me")])
async def test_where_another_approver_was_first_its_answer_holds_and_its_result_is_given(
    started, late
):
    source, person = bank(), Person(Approve(by="ann"))
    host = await started(None, source, plugins=[("person", person)])
    run = await host.plan(approvals="return")
    request = await pending(run)
    person.may_answer.set()
    async with asyncio.timeout(20):
        while not source.calls:
            await asyncio.sleep(0)
        assert (await host.resume(request.id, late)).value == {"to": "ann"}
    with pytest.raises(LookupError):
        await host.resume(request.id, late)
    assert len(source.calls) == 1


async def test_of_two_answers_at_once_one_counts(started):
    source = bank()
    host = await started(None, source)
    request = await pending(await host.plan(approvals="return"))
    answers = await asyncio.gather(
        *(host.resume(request.id, Approve()) for _ in range(5)), return_exceptions=True
    )
    assert sum(isinstance(answer, LookupError) for answer in answers) == 4
    assert len(source.calls) == 1


@pytest.mark.parametrize("field", ["id", "digest", "arguments", "run", "expires", "seal"])
async def test_a_request_of_which_anything_was_changed_is_not_carried_out(started, field):
    source, elsewhere = bank(), bank()
    host, other = await started(None, source), await started(None, elsewhere)
    request = await pending(await host.plan(approvals="return", agent="clerk"))
    call = request.call
    forged = {
        "id": {"id": "apr_other"},
        "digest": {"digest": "0" * 32},
        "arguments": {"call": call.model_copy(update={"arguments": {"to": "eve"}})},
        "run": {
            "call": call.model_copy(update={"run": call.run.model_copy(update={"agent": "boss"})})
        },
        "expires": {"expires": request.expires.replace(year=2999)},
        "seal": {"seal": "ä" * 64},
    }[field]
    with pytest.raises(ValueError, match="not made by this deployment, or was changed"):
        await other.resume(request.model_copy(update=forged), Approve())
    assert elsewhere.calls == []


async def test_a_call_that_waits_when_its_run_ends_is_not_executed(started):
    source, person = bank(), Person(Approve())
    host = await started(None, source, plugins=[("person", person)])
    run = await host.plan()
    call = asyncio.ensure_future(run.call("pay", {"to": "ann"}))
    await person.asked.wait()
    await run.aclose()
    person.may_answer.set()
    async with asyncio.timeout(20):
        error = (await call).error
    assert (error.code, error.executed, source.calls) == ("blocked", False, [])


async def test_after_a_run_ended_nothing_of_it_is_found_or_called(started):
    source = bank(approval=None)
    host = await started(None, source)
    run = await host.plan()
    bridge = run.bridge("body")
    await run.aclose()
    assert (await run.call("pay", {})).error.code == "unavailable"
    for name in ("tool_call", "tool_search", "tool_describe", "pay"):
        answer = await run.control(name, {"id": "pay", "query": "pay"})
        assert answer.is_error
    for asked in (bridge.call("pay", {}), bridge.search("pay"), bridge.describe("pay")):
        with pytest.raises(Exception, match="has ended"):
            await asked
    assert source.calls == []


async def test_an_answer_is_about_the_tool_as_it_was_shown(started):
    source, person = bank(), Person(Approve())
    host = await started(None, source, plugins=[("person", person)])
    run = await host.plan()
    call = asyncio.ensure_future(run.call("pay", {"to": "ann"}))
    await person.asked.wait()
    source.specs["pay"] = source.specs["pay"].model_copy(update={"description": "Pay twice."})
    source.generation += 1
    source.changed()
    person.may_answer.set()
    assert (await call).error.code == "unavailable"
    assert source.calls == []


async def test_a_tool_whose_approval_came_before_policy_closed_it_is_not_executed(started):
    source, person, closed = bank(), Person(Approve()), False

    class Closes:
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            return PolicyAnswer(denied={t.id: Ruling(reason="closed") for t in tools if closed})

    plugins = [("person", person), ("closes", Closes())]
    host = await started(None, source, plugins=plugins)
    call = asyncio.ensure_future((await host.plan()).call("pay", {"to": "ann"}))
    await person.asked.wait()
    closed = True
    person.may_answer.set()
    assert ((await call).error.code, source.calls) == ("blocked", [])


async def test_calls_side_by_side_are_each_asked_about_and_no_answer_serves_two(started):
    source = bank()

    class Once:
        def __init__(self):
            self.requests = []

        @hookimpl(inline=True)
        def toolsearch_approve(self, request):
            self.requests.append(request)
            return Approve() if len(self.requests) == 1 else Reject()

    once = Once()
    host = await started(None, source, plugins=[("once", once)])
    run = await host.plan()
    results = await asyncio.gather(*(run.call("pay", {"to": "ann"}) for _ in range(6)))
    assert len({request.id for request in once.requests}) == 6
    assert [result.is_error for result in results].count(False) == 1
    assert len(source.calls) == 1


async def test_the_arguments_of_an_answer_are_told_apart_to_the_last_type(started):
    source = bank()
    host = await started(None, source)
    run = await host.plan(approvals="return")
    alike = [{"n": 1}, {"n": 1.0}, {"n": True}, {"n": "1"}, {"n": [1]}, {"n": None}, {}]
    digests = {(await pending(run, arguments)).digest for arguments in alike}
    assert len(digests) == len(alike)


async def test_arguments_that_json_cannot_hold_are_refused_before_anybody_is_asked(started):
    source, person = bank(), Person(Approve())
    host = await started(None, source, plugins=[("person", person)])
    run = await host.plan(approvals="return")
    deep = []
    for _ in range(3_000):
        deep = [deep]
    cycle = {}
    cycle["self"] = cycle
    for odd in (float("nan"), float("inf"), object(), "\ud800", deep, cycle, {1, 2}, b"x"):
        result = await run.handle("pay", {"to": odd})
        assert (result.error.code, result.pending) == ("invalid_arguments", None)
    assert not person.asked.is_set()
    assert source.calls == []
