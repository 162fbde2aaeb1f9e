"""What the host and every author may expect of a policy."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import PolicyAnswer, Ruling

from ._case import all_survived, case, expect, outcome_of, scene, told
from ._policy_runs import ExpectedPolicy
from ._samples import HOSTILE_TEXTS, make_run, make_tool, sample_tools

ARGUMENTS: tuple[Mapping[str, Any], ...] = (
    {},
    {"path": "notes.txt"},
    {"path": None, "text": [1, {"deep": [[[]]]}]},
    {"\ud800": "\x00", "日本語": float("inf")},
    {"text": "x" * 100_000},
)


class PolicyConformance(ExpectedPolicy):
    """`class TestMine(PolicyConformance): plugin = mine.plugin`

    The suite asks about ten everyday tools, which `sample_tools` gives: `read_file`, `write_file`,
    `delete_file`, `send_message`, `list_messages`, `create_event`, `cancel_event`, `forecast`,
    `createIssue` and `closeIssue`. Give `settings` or `claimed` with which the policy denies the
    tool `denies`, asks a person about `asks` and allows `allows`, by name, so that more can be
    tried; leave out what it never does. `agent` is who asks.
    """

    @case
    async def test_it_answers_a_policy_answer_or_none(self, policy: Any) -> None:
        for arguments in (None, *ARGUMENTS[:2]):
            answer = await self._answer(policy, self._run(), sample_tools()[:1], arguments)
            expect(
                answer is None or isinstance(answer, PolicyAnswer),
                f"it answered {type(answer).__name__}; whatever is no PolicyAnswer denies all",
            )

    @case
    async def test_no_tools_need_no_rulings(self, policy: Any) -> None:
        answer = await self._ask(policy, ())
        expect(not answer.denied and not answer.asks, "it ruled on tools that nobody asked about")

    @case
    async def test_it_rules_only_on_what_it_was_asked_about(self, policy: Any) -> None:
        tools = sample_tools()[:4]
        answer = await self._ask(policy, tools)
        unknown = {*answer.denied, *answer.asks} - {tool.id for tool in tools}
        expect(not unknown, f"it ruled on {sorted(unknown)}; name the ids of the given tools only")

    @case
    async def test_every_ruling_says_why(self, policy: Any) -> None:
        answer = await self._ask(policy)
        for id_, ruling in {**answer.denied, **answer.asks}.items():
            expect(
                ruling.reason.strip(), f"the ruling on {id_} has no reason; the model is told it"
            )

    @case
    async def test_nothing_is_both_denied_and_asked(self, policy: Any) -> None:
        answer = await self._ask(policy)
        both = set(answer.denied) & set(answer.asks)
        expect(not both, f"{sorted(both)} are denied and asked; deny is enough")

    @case
    async def test_the_same_question_has_the_same_answer(self, policy: Any) -> None:
        first, second = [await self._ask(policy) for _ in range(2)]
        expect(_rules(first) == _rules(second), "two equal questions had different answers")

    @case
    async def test_the_order_of_the_tools_does_not_matter(self, policy: Any) -> None:
        forward = await self._ask(policy)
        backward = await self._ask(policy, tuple(reversed(sample_tools())))
        expect(_rules(forward) == _rules(backward), "the answer depends on the order of the tools")

    @case
    async def test_each_tool_alone_is_ruled_as_among_all(self, policy: Any) -> None:
        together = await self._ask(policy)
        for tool in sample_tools():
            alone = await self._ask(policy, (tool,))
            for among, single in ((together.denied, alone.denied), (together.asks, alone.asks)):
                expect(
                    (tool.id in among) == (tool.id in single),
                    f"{tool.id} is ruled differently alone: a call would be judged otherwise "
                    "than it was planned",
                )

    @case
    async def test_what_planning_denies_a_call_denies(self, policy: Any) -> None:
        denied = set((await self._ask(policy)).denied)
        for tool in sample_tools():
            if tool.id in denied:
                for arguments in ARGUMENTS[:2]:
                    answer = await self._ask(policy, (tool,), arguments)
                    expect(
                        tool.id in answer.denied,
                        f"{tool.id} is denied at planning and allowed at a call; with arguments "
                        "a policy may only narrow",
                    )

    @case
    async def test_an_answer_that_may_be_kept_does_not_depend_on_the_run(self, policy: Any) -> None:
        first = await self._ask(policy)
        other = await self._answer(policy, self._run(run_id="run_other"), sample_tools(), None)
        second = other or PolicyAnswer()
        expect(
            first.cache_key == second.cache_key,
            f"cache keys {first.cache_key!r} and {second.cache_key!r} of one asker differ; the key "
            "must not depend on the run's id",
        )
        expect(
            first.cache_key is None or _rules(first) == _rules(second),
            "answers with one cache key differ; put what they depend on into the key, or give none",
        )

    @case
    async def test_askers_with_one_key_have_one_answer(self, policy: Any) -> None:
        answers: dict[str, Any] = {}
        for fields in (
            {}, {"agent": "other"}, {"profile": "p"}, {"channel": "c"}, {"session": "s"},
            {"sandbox": "b"}, {"provider": "x"}, {"principal": "k"}, {"model": "m"},
            {"parent": make_run(run_id="parent", agent="parent")},
        ):  # fmt: skip
            run = make_run(**({"agent": self.agent} | fields))
            answer = await self._answer(policy, run, sample_tools(), None)
            if answer is None or answer.cache_key is None:
                continue
            known = answers.setdefault(answer.cache_key, _rules(answer))
            expect(
                known == _rules(answer),
                f"with {fields} the cache key {answer.cache_key!r} stands for another answer; put "
                "what the answer depends on into the key",
            )

    @case
    async def test_no_arguments_raise(self, policy: Any) -> None:
        for tool in sample_tools():
            for arguments in ARGUMENTS:
                step = self._answer(policy, self._run(), (tool,), arguments)
                _, failure = await outcome_of(step)
                expect(
                    failure is None,
                    f"arguments {str(arguments)[:60]} raised {told(failure)}; what raises denies",
                )

    @case
    async def test_arguments_stay_as_they_are(self, policy: Any) -> None:
        given = {"path": "notes.txt", "list": [1, {"a": 1}]}
        before = copy.deepcopy(given)
        await self._ask(policy, sample_tools()[:1], given)
        expect(given == before, "it changed the arguments; `toolsearch_before_tool_call` may")

    @case
    async def test_no_text_of_a_tool_raises(self, policy: Any) -> None:
        tools = [
            make_tool(text or "x", text, owner="odd", label=text, aliases=(text,), groups=(text,))
            for text in HOSTILE_TEXTS
        ]
        step = self._answer(policy, self._run(), tools, None)
        _, failure = await outcome_of(step)
        expect(failure is None, f"hostile names raised {told(failure)}; what raises denies all")

    @case
    async def test_no_text_of_an_asker_raises(self, policy: Any) -> None:
        failures = {}
        for text in HOSTILE_TEXTS:
            run = make_run(agent=text, profile=text, channel=text, session=text, sandbox=text)
            step = self._answer(policy, run, sample_tools(), None)
            failures[text] = (await outcome_of(step))[1]
        all_survived(failures, "What raises denies all")

    @case
    async def test_thousands_of_tools_are_ruled_within_the_deadline(self, policy: Any) -> None:
        tools = [make_tool(f"part_{n}", owner=f"owner_{n % 50}") for n in range(5_000)]
        async with asyncio.timeout(5):
            await self._ask(policy, tools)

    @case
    async def test_questions_side_by_side_have_one_answer(self, policy: Any) -> None:
        answers = await asyncio.gather(*(self._ask(policy) for _ in range(10)))
        expect(len({_rules(answer) for answer in answers}) == 1, "answers side by side differ")

    @scene
    async def test_two_instances_agree(self, folder: Path) -> None:
        policies = [await self.subject(folder) for _ in range(2)]
        answers = {_rules(await self._ask(policy)) for policy in policies}
        expect(len(answers) == 1, "two instances with one configuration disagree")
        for policy in policies:
            await self.close(policy)


def _rules(answer: PolicyAnswer) -> tuple[tuple[str, str], ...]:
    def lines(rulings: Mapping[str, Ruling], verdict: str) -> list[tuple[str, str]]:
        return [(id_, verdict + ruling.reason) for id_, ruling in rulings.items()]

    return tuple(sorted(lines(answer.denied, "deny") + lines(answer.asks, "ask")))
