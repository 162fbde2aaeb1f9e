from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch.plugins import Plan, PluginHost
from toolsearch_hookspecs import (
    Ask,
    AskReason,
    CallError,
    CallFailure,
    Deny,
    ErrorCode,
    Proceed,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
)

from .conftest import Hosted, call, hit, plugin_with, run


def before(function) -> type:
    async def hook(self, call):
        return function(call)

    return plugin_with(toolsearch_before_tool_call=hook)


def after(function) -> type:
    async def hook(self, call, result):
        return function(result)

    return plugin_with(toolsearch_after_tool_call=hook)


def executing(function) -> type:
    async def hook(self, call):
        return function(call)

    return plugin_with(toolsearch_execute=hook)


async def by_source(called: ToolCall) -> ToolResult:
    return ToolResult(value="by the source")


async def test_each_hook_sees_the_arguments_as_changed_so_far(hosted: Hosted):
    def add(name: str):
        return before(lambda call: Proceed(arguments={**call.arguments, name: len(call.arguments)}))

    host = hosted(a=add("first"), b=before(lambda call: None), c=add("second"))
    outcome = await host.hooks.before(call(url="x"))
    assert outcome.arguments == {"url": "x", "first": 1, "second": 2}
    assert outcome.changed_by == ("a", "c")
    assert outcome.denied is None


async def test_the_same_arguments_again_are_no_change(hosted: Hosted):
    host = hosted(same=before(lambda call: Proceed(arguments={"url": "x"})))
    assert (await host.hooks.before(call(url="x"))).changed_by == ()


async def test_the_chain_stops_at_a_denial(hosted: Hosted):
    seen = []
    host = hosted(
        a=before(lambda call: Ask(reason="it writes")),
        b=before(lambda call: Deny(reason="never")),
        c=before(seen.append),
    )
    outcome = await host.hooks.before(call())
    assert (outcome.denied.plugin, outcome.denied.value.reason) == ("b", "never")
    assert outcome.asks == (AskReason(by="a", reason="it writes"),)
    assert seen == []


async def test_arguments_changed_in_place_are_a_denial_that_says_what_to_do(hosted: Hosted):
    def meddle(call):
        call.arguments["options"]["force"] = True

    host = hosted(meddling=before(meddle))
    made = call(options={"force": False})
    outcome = await host.hooks.before(made)
    assert outcome.denied is not None
    assert made.arguments == {"options": {"force": False}}
    assert "answer Proceed(arguments=...)" in host.diagnostics[0].message


async def test_a_wrong_answer_before_a_call_denies(hosted: Hosted):
    host = hosted(wrong=before(lambda call: True))
    assert (await host.hooks.before(call())).denied.value.reason.endswith("gave a wrong answer")


@given(st.lists(st.sampled_from(["abstain", "change", "ask", "deny", "raise"]), max_size=6))
async def test_before_a_call_the_first_denial_or_failure_decides(acts):
    def acting(act: str):
        def decide(call):
            match act:
                case "change":
                    return Proceed(arguments={**call.arguments, str(len(call.arguments)): 0})
                case "ask":
                    return Ask(reason="?")
                case "deny":
                    return Deny(reason="!")
                case "raise":
                    raise SystemExit
            return None

        return before(decide)

    host = PluginHost.load(Plan(), [(f"p{n}", acting(act)) for n, act in enumerate(acts)])
    outcome = await host.hooks.before(call())
    closing = next((n for n, act in enumerate(acts) if act in {"deny", "raise"}), None)
    acted = acts if closing is None else acts[:closing]
    assert len(outcome.arguments) == len(outcome.changed_by) == acted.count("change")
    assert len(outcome.asks) == acted.count("ask")
    assert (outcome.denied.plugin if outcome.denied else None) == (
        None if closing is None else f"p{closing}"
    )


async def test_arguments_as_deep_as_a_model_cares_to_write_are_walked(hosted: Hosted):
    deep: dict = {}
    for _ in range(5_000):
        deep = {"a": [deep]}
    host = hosted(none=plugin_with(toolsearch_tool_policy=lambda self, arguments: None))
    verdict = await host.hooks.policy(run(), [], deep)
    assert verdict.denied == {}
    await host.shutdown()


async def test_the_source_executes_where_no_hook_does(hosted: Hosted):
    host = hosted(abstaining=executing(lambda call: None))
    assert (await host.hooks.execute(call(), by_source)).value == "by the source"


async def test_the_first_result_of_a_hook_stands_in_for_the_source(hosted: Hosted):
    seen = []
    host = hosted(
        a=executing(lambda call: None),
        b=executing(lambda call: ToolResult(value="cached")),
        c=executing(seen.append),
    )
    assert (await host.hooks.execute(call(), by_source)).value == "cached"
    assert seen == []


def raising(error: BaseException):
    def function(_):
        raise error

    return function


STATED = CallFailure(code=ErrorCode.TIMEOUT, message="too slow", executed=True)


@pytest.mark.parametrize(
    ("error", "code", "executed", "message"),
    [
        (ToolError("no such page", retryable=True), ErrorCode.TOOL_ERROR, True, "no such page"),
        (SourceUnavailable("worker is gone"), ErrorCode.UNAVAILABLE, False, "worker is gone"),
        (CallError(STATED), ErrorCode.TIMEOUT, True, "too slow"),
    ],
)
async def test_what_an_executing_hook_raises_on_purpose_is_told_to_the_model(
    hosted: Hosted, error, code, executed, message
):
    host = hosted(remote=executing(raising(error)))
    failure = (await host.hooks.execute(call(), by_source)).error
    assert (failure.code, failure.executed, failure.message) == (code, executed, message)


async def test_a_wrong_answer_of_an_executing_hook_never_executes_twice(hosted: Hosted):
    host = hosted(wrong=executing(lambda call: {"value": 1}))
    result = await host.hooks.execute(call(), by_source)
    assert result.error.code is ErrorCode.INTERNAL
    assert result.error.executed


async def test_what_the_source_raises_is_the_callers_business(hosted: Hosted):
    async def failing(called: ToolCall) -> ToolResult:
        raise ToolError("its own")

    with pytest.raises(ToolError, match="its own"):
        await hosted().hooks.execute(call(), failing)


async def test_results_pass_down_the_chain(hosted: Hosted):
    host = hosted(
        a=after(lambda result: ToolResult(value=result.value * 2)),
        b=after(lambda result: None),
        c=after(lambda result: ToolResult(value=result.value + 1)),
    )
    assert (await host.hooks.after(call(), ToolResult(value=3))).value == 7


async def test_what_was_withheld_stays_withheld_though_the_others_see_the_call(hosted: Hosted):
    seen = []

    def restore(result):
        seen.append(result.error.code)
        return ToolResult(value="restored")

    host = hosted(a=after(raising(RuntimeError())), b=after(restore))
    result = await host.hooks.after(call(), ToolResult(value="secret"))
    assert result.error.code is ErrorCode.WITHHELD
    assert result.error.by == "a"
    assert seen == [ErrorCode.WITHHELD]


async def test_a_withheld_result_of_a_tool_that_did_not_run_does_not_claim_that_it_did(
    hosted: Hosted,
):
    failed = ToolResult(error=CallFailure(code=ErrorCode.UNAVAILABLE, message="down"))
    host = hosted(broken=after(raising(RuntimeError())))
    result = await host.hooks.after(call(), failed)
    assert result.error.code is ErrorCode.WITHHELD
    assert not result.error.executed


def ranking(function) -> type:
    async def hook(self, query, hits):
        return function(list(hits))

    return plugin_with(toolsearch_rank=hook)


A, B, C = hit("a"), hit("b"), hit("c")


async def test_hits_may_be_reordered_and_dropped(hosted: Hosted):
    host = hosted(a=ranking(lambda hits: hits[::-1]), b=ranking(lambda hits: hits[:2]))
    assert await host.hooks.rank(run(), "q", [A, B, C]) == (C, B)


async def test_hits_that_were_not_given_are_ignored_and_reported(hosted: Hosted):
    host = hosted(adding=ranking(lambda hits: [C, *hits, A]))
    assert await host.hooks.rank(run(), "q", [A, B]) == (A, B)
    (problem,) = host.diagnostics
    assert "added 1 hits" in problem.message


async def test_a_hit_rewritten_by_a_plugin_keeps_what_the_host_knows_of_it(hosted: Hosted):
    forged = A.model_copy(update={"score": 99.0})
    host = hosted(rewriting=ranking(lambda hits: [forged]))
    assert await host.hooks.rank(run(), "q", [A]) == (A,)


@pytest.mark.parametrize("wrong", ["abc", 5, [1], {"a": 1}])
async def test_a_wrong_answer_keeps_the_order_before_it(hosted: Hosted, wrong):
    host = hosted(a=ranking(lambda hits: hits[::-1]), b=ranking(lambda hits: wrong))
    assert await host.hooks.rank(run(), "q", [A, B]) == (B, A)
    assert len(host.diagnostics) == 1
