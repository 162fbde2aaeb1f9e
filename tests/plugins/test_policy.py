from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch.plugins import Plan, PluginHost
from toolsearch_hookspecs import LevelVerdict, PolicyAnswer, PolicyExplanation, Ruling

from .conftest import Hosted, plugin_with, run, tool

NAMES = ["a", "b", "c"]
RULINGS = st.dictionaries(st.sampled_from(NAMES), st.just(Ruling(reason="because")))


def answering(answer: PolicyAnswer | None, calls: list | None = None) -> type:
    async def policy(self, run, tools, arguments):
        if calls is not None:
            calls.append((run.run_id, [each.id for each in tools], arguments))
        return answer

    return plugin_with(toolsearch_tool_policy=policy)


def by_id(rulings: dict[str, Ruling]) -> dict[str, Ruling]:
    return {tool(name).id: ruling for name, ruling in rulings.items()}


NO = Ruling(reason="no", level="global", entry="plugin:*")
SURE = Ruling(reason="are you sure?")


async def test_a_host_without_policies_allows(hosted: Hosted):
    verdict = await hosted().hooks.policy(run(), [tool()], None)
    assert (verdict.denied, verdict.asks, verdict.cacheable) == ({}, {}, True)


async def test_a_denial_wins_over_an_ask_and_is_stamped(hosted: Hosted):
    host = hosted(
        asks=answering(PolicyAnswer(asks=by_id({"a": SURE, "b": SURE}))),
        denies=answering(PolicyAnswer(denied=by_id({"a": NO}))),
    )
    verdict = await host.hooks.policy(run(), [tool("a"), tool("b"), tool("c")], None)
    assert {key: (each.plugin, each.value) for key, each in verdict.denied.items()} == {
        tool("a").id: ("denies", NO)
    }
    assert {key: [each.plugin for each in given] for key, given in verdict.asks.items()} == {
        tool("b").id: ["asks"]
    }


@given(st.lists(st.tuples(RULINGS, RULINGS), max_size=4))
async def test_a_tool_is_denied_when_any_policy_denies_and_asked_when_none_does(answers):
    plugins = [
        (f"p{n}", answering(PolicyAnswer(denied=by_id(denied), asks=by_id(asks))))
        for n, (denied, asks) in enumerate(answers)
    ]
    host = PluginHost.load(Plan(), plugins)
    verdict = await host.hooks.policy(run(), [tool(name) for name in NAMES], None)
    denied = {name for each, _ in answers for name in each}
    asked = {name for _, each in answers for name in each}
    assert verdict.denied.keys() == by_id(dict.fromkeys(denied, NO)).keys()
    assert verdict.asks.keys() == by_id(dict.fromkeys(asked - denied, NO)).keys()
    for name in asked - denied:
        assert len(verdict.asks[tool(name).id]) == sum(name in each for _, each in answers)


@pytest.mark.parametrize(
    "answer",
    [
        PolicyAnswer(denied={"a": NO}),
        PolicyAnswer(asks={"a": SURE}),
        PolicyAnswer(denied={"mcp:x:y": NO, tool("a").id: NO}),
        PolicyAnswer.model_construct(denied={5: NO}, asks={}, cache_key=None, diagnostics=()),
    ],
    ids=["denied by name", "asked by name", "a tool of others", "no text"],
)
@pytest.mark.parametrize("arguments", [None, {}], ids=["at planning", "at a call"])
async def test_an_answer_about_a_tool_that_was_not_asked_about_denies(
    hosted: Hosted, answer, arguments
):
    host = hosted(wide=answering(answer))
    asked = [tool("a")] if arguments is not None else [tool("a"), tool("b")]
    verdict = await host.hooks.policy(run(), asked, arguments)
    assert set(verdict.denied) == {each.id for each in asked}
    assert verdict.denied[tool("a").id].value.reason == "the policy wide gave a wrong answer"


async def test_who_denies_by_a_name_is_told_the_id(hosted: Hosted):
    host = hosted(wide=answering(PolicyAnswer(denied={"b": NO})))
    verdict = await host.hooks.policy(run(), [tool("a"), tool("b")], None)
    (problem,) = host.diagnostics
    said = "'b' is the id of no tool it was asked about; answer by `tool.id`, as 'plugin:browser:b'"
    assert said in problem.message
    (told,) = verdict.diagnostics
    assert said in told.message
    assert "the 2 tools it was asked about are denied" in told.message
    assert told.level == "error"


async def test_a_wrong_answer_is_not_kept_for_the_next_run(hosted: Hosted):
    answers = iter([PolicyAnswer(denied={"a": NO}, cache_key="k"), PolicyAnswer(cache_key="k")])

    async def policy(self):
        return next(answers)

    host = hosted(mended=plugin_with(toolsearch_tool_policy=policy))
    denied = await host.hooks.policy(run(), [tool("a")], None, tools_key="t")
    allowed = await host.hooks.policy(run(), [tool("a")], None, tools_key="t")
    assert (set(denied.denied), set(allowed.denied)) == ({tool("a").id}, set())


async def test_an_answer_of_the_wrong_type_denies(hosted: Hosted):
    host = hosted(wrong=answering({"denied": {}}))
    verdict = await host.hooks.policy(run(), [tool()], None)
    assert verdict.denied[tool().id].value.reason == "the policy wrong gave a wrong answer"
    (problem,) = host.diagnostics
    assert "dict where PolicyAnswer was expected" in problem.message


async def test_an_answer_forged_past_validation_denies(hosted: Hosted):
    forged = PolicyAnswer.model_construct(denied={tool().id: "no"}, asks={}, cache_key=None)
    host = hosted(forged=answering(forged))
    verdict = await host.hooks.policy(run(), [tool()], None)
    assert "wrong answer" in verdict.denied[tool().id].value.reason


async def test_a_policy_that_failed_is_told_to_the_run(hosted: Hosted):
    async def policy(self):
        raise RuntimeError("secret")

    host = hosted(broken=plugin_with(toolsearch_tool_policy=policy))
    verdict = await host.hooks.policy(run(), [tool()], None)
    (problem,) = verdict.diagnostics
    assert problem.subject == "broken"
    assert "secret" not in problem.message


async def test_a_policy_cannot_change_the_arguments_that_are_executed(hosted: Hosted):
    async def policy(self, arguments):
        arguments["path"]["name"] = "/etc/passwd"

    seen = []
    host = hosted(
        a_meddling=plugin_with(toolsearch_tool_policy=policy),
        b_sound=plugin_with(toolsearch_tool_policy=lambda self, arguments: seen.append(arguments)),
    )
    arguments = {"path": {"name": "notes.txt"}}
    await host.hooks.policy(run(), [tool()], arguments)
    assert arguments == {"path": {"name": "notes.txt"}}
    assert seen == [arguments]
    await host.shutdown()


async def test_a_repeated_plan_of_an_equal_run_does_not_ask_again(hosted: Hosted):
    calls: list = []
    host = hosted(cached=answering(PolicyAnswer(denied=by_id({"a": NO}), cache_key="k"), calls))
    first = await host.hooks.policy(run("one", agent="x"), [tool("a")], None, tools_key="t")
    second = await host.hooks.policy(run("two", agent="x"), [tool("a")], None, tools_key="t")
    assert [run_id for run_id, _, _ in calls] == ["one"]
    assert second is first
    assert first.cacheable


async def test_other_tools_or_another_agent_are_asked_about_anew(hosted: Hosted):
    calls: list = []
    host = hosted(cached=answering(PolicyAnswer(cache_key="k"), calls))
    await host.hooks.policy(run("1", agent="x"), [tool("a")], None, tools_key="t")
    await host.hooks.policy(run("2", agent="x"), [tool("b")], None, tools_key="u")
    await host.hooks.policy(run("3", agent="y"), [tool("a")], None, tools_key="t")
    parent = run("p", agent="x")
    await host.hooks.policy(run("4", agent="x", parent=parent), [tool("a")], None, tools_key="t")
    await host.hooks.policy(run("5", agent="x"), [tool("a")], None)
    assert [run_id for run_id, _, _ in calls] == ["1", "2", "3", "4", "5"]


async def test_runs_whose_cache_keys_are_equal_share_one_verdict(hosted: Hosted):
    host = hosted(cached=answering(PolicyAnswer(cache_key="k")))
    first = await host.hooks.policy(run(agent="x"), [tool()], None, tools_key="t")
    second = await host.hooks.policy(run(agent="y"), [tool()], None, tools_key="t")
    assert second is first


async def test_only_the_policies_without_a_key_are_asked_again(hosted: Hosted):
    keyed: list = []
    unkeyed: list = []
    host = hosted(
        keyed=answering(PolicyAnswer(denied=by_id({"a": NO}), cache_key="k"), keyed),
        unkeyed=answering(PolicyAnswer(), unkeyed),
    )
    for _ in range(2):
        verdict = await host.hooks.policy(run(), [tool("a")], None, tools_key="t")
        assert set(verdict.denied) == {tool("a").id}
        assert not verdict.cacheable
    assert (len(keyed), len(unkeyed)) == (1, 2)


async def test_a_failure_is_never_reused(hosted: Hosted):
    answers = iter([None, PolicyAnswer(cache_key="k")])

    async def policy(self):
        answer = next(answers)
        if answer is None:
            raise RuntimeError
        return answer

    host = hosted(recovering=plugin_with(toolsearch_tool_policy=policy))
    denied = await host.hooks.policy(run(), [tool()], None, tools_key="t")
    allowed = await host.hooks.policy(run(), [tool()], None, tools_key="t")
    assert (set(denied.denied), set(allowed.denied)) == ({tool().id}, set())


async def test_at_a_call_every_policy_is_asked_each_time(hosted: Hosted):
    calls: list = []
    host = hosted(cached=answering(PolicyAnswer(cache_key="k"), calls))
    for _ in range(2):
        await host.hooks.policy(run(), [tool()], {"a": 1}, tools_key="t")
    assert [arguments for _, _, arguments in calls] == [{"a": 1}, {"a": 1}]


async def test_a_denial_at_a_call_that_holds_for_any_arguments_voids_what_was_kept(hosted: Hosted):
    shut = False

    async def policy(self, tools, arguments):
        closed = {tool("a").id} if shut else set()
        if arguments == {"all": True}:
            closed.add(tool("b").id)
        denied = {each.id: NO for each in tools if each.id in closed}
        return PolicyAnswer(denied=denied, cache_key="k")

    hooks = hosted(kept=plugin_with(toolsearch_tool_policy=policy)).hooks
    tools = [tool("a"), tool("b")]
    await hooks.policy(run(), tools, None, tools_key="t")
    await hooks.policy(run(), [tool("b")], {"all": True})
    assert hooks.policy_generation == 0
    shut = True
    assert not (await hooks.policy(run(), tools, None, tools_key="t")).denied
    await hooks.policy(run(), [tool("a")], {})
    assert hooks.policy_generation == 1
    assert set((await hooks.policy(run(), tools, None, tools_key="t")).denied) == {tool("a").id}


async def test_explanations_are_stamped_with_their_policy(hosted: Hosted):
    explained = PolicyExplanation(
        verdict="deny", decided_by=LevelVerdict(level="global", verdict="deny", entry="x")
    )

    async def explain(self):
        return explained

    async def silent(self): ...

    host = hosted(
        rules=plugin_with(toolsearch_policy_explain=explain),
        silent=plugin_with(toolsearch_policy_explain=silent),
    )
    (given_,) = await host.hooks.explain(run(), tool(), None)
    assert (given_.plugin, given_.value) == ("rules", explained)


def explaining(explained: PolicyExplanation | None, answer: PolicyAnswer | None) -> type:
    async def explain(self):
        return explained

    async def policy(self):
        return answer

    return plugin_with(toolsearch_policy_explain=explain, toolsearch_tool_policy=policy)


async def explained_by(host: PluginHost) -> dict[str, tuple[str, str]]:
    """The verdict of each policy, and the reason that decided."""
    given = await host.hooks.explain(run(), tool("a"), {"x": 1})
    return {
        each.plugin: (each.value.verdict, each.value.decided_by and each.value.decided_by.reason)
        for each in given
    }


async def test_a_policy_that_explains_nothing_is_explained_by_its_ruling(hosted: Hosted):
    async def broken(self):
        raise RuntimeError("no rules")

    host = hosted(
        asks=answering(PolicyAnswer(asks=by_id({"a": SURE}))),
        denies=answering(PolicyAnswer(denied=by_id({"a": NO}))),
        silent=answering(None),
        wide=answering(PolicyAnswer(denied={"a": NO})),
        broken=plugin_with(toolsearch_tool_policy=broken),
    )
    told = await explained_by(host)
    assert told["asks"] == ("ask", "are you sure?")
    assert told["denies"] == ("deny", "no")
    assert told["silent"] == ("allow", None)
    assert told["wide"][0] == "deny"
    assert "answer by `tool.id`" in told["wide"][1]
    assert told["broken"] == ("deny", "it raised RuntimeError: no rules")


async def test_what_a_policy_does_counts_where_it_explains_otherwise(hosted: Hosted):
    says_no = PolicyExplanation(
        verdict="deny", decided_by=LevelVerdict(level="global", verdict="deny", reason="so it says")
    )
    host = hosted(
        agrees=explaining(says_no, PolicyAnswer(denied=by_id({"a": NO}))),
        contradicts=explaining(says_no, PolicyAnswer(asks=by_id({"a": SURE}))),
    )
    told = await explained_by(host)
    assert told == {"agrees": ("deny", "so it says"), "contradicts": ("ask", "are you sure?")}


async def test_a_policy_is_asked_for_its_explanation_with_the_arguments_of_the_call(hosted: Hosted):
    calls: list = []
    host = hosted(keyed=answering(PolicyAnswer(), calls))
    await host.hooks.explain(run(), tool("a"), {"path": "/etc"})
    assert calls == [("r1", [tool("a").id], {"path": "/etc"})]
