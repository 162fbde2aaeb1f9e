"""Policy: every implementation is asked, deny wins, then ask; answers with a key are reused."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from toolsearch_hookspecs import (
    Diagnostic,
    PolicyAnswer,
    Ruling,
    RunContext,
    Tool,
)

from ..text import one_line
from ._answers import PolicyVerdict, Stamped
from ._arguments import own_arguments
from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._outcome import Answer, Failure, WrongAnswer, one_of, wrong

V = TypeVar("V")

_Who = tuple[str, Hashable]
"""The tools asked about, and everything about the run that a policy may go by."""

KEPT_RUNS = 4_096
KEPT_ANSWERS = 64


class _Recent(Generic[V]):
    """A mapping that forgets what was not used for longest."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, key: Hashable, value: V) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        self._kept.clear()


class Policies:
    """The policies of one host.

    A policy that gave a cache key for some tools and a run is not asked again for the same tools
    (`tools_key`) and an equal run (`run_id` apart): the key must follow from the run's identity.
    Runs whose keys are equal share one answer, and one verdict where all policies gave keys.
    `generation` rises when a policy denies, at a call, what a kept answer of its allows: kept
    answers are forgotten, and what was planned before is out of date.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._keys: _Recent[str] = _Recent(KEPT_RUNS)
        self._answers: _Recent[PolicyAnswer] = _Recent(KEPT_ANSWERS)
        self._verdicts: _Recent[PolicyVerdict] = _Recent(KEPT_ANSWERS)
        self._ids: _Recent[Mapping[str, None]] = _Recent(KEPT_ANSWERS)
        self.generation = 0

    async def verdict(
        self,
        run: RunContext,
        tools: Sequence[Tool],
        arguments: Mapping[str, Any] | None,
        tools_key: str | None,
    ) -> PolicyVerdict:
        """Ask all. One that fails denies every tool it was asked about."""
        policies = self._dispatcher.implementations.of("toolsearch_tool_policy")
        shared_key = tools_key if arguments is None else None
        who = None if shared_key is None else (shared_key, identity(run))
        asked = self._asked_ids(shared_key, tools)
        answers: list[tuple[Implementation, PolicyAnswer | Failure | None]] = []
        for each in policies:
            answer: PolicyAnswer | Failure | None = self._known(each, who)
            if answer is None:
                answer = await judged(self._dispatcher, each, run, tools, arguments, asked)
                answer = self._remembered(each, who, answer)
            if arguments is not None:
                await self._check_kept(each, run, tools, answer)
            answers.append((each, answer))
        return self._shared_verdict(shared_key, answers, asked)

    async def _check_kept(
        self,
        each: Implementation,
        run: RunContext,
        tools: Sequence[Tool],
        answer: PolicyAnswer | Failure | None,
    ) -> None:
        """Where a policy that keeps to its answers denies a call: does it deny the tool as well?"""
        match answer:
            case PolicyAnswer(cache_key=str(), denied=denied) if denied:
                again = await judged(self._dispatcher, each, run, tools, None)
                if isinstance(again, PolicyAnswer) and again.denied:
                    for kept in (self._keys, self._answers, self._verdicts):
                        kept.clear()
                    self.generation += 1

    def _known(self, each: Implementation, who: _Who | None) -> PolicyAnswer | None:
        if who is None or (key := self._keys.get((each, who))) is None:
            return None
        return self._answers.get((each, who[0], key))

    def _remembered(
        self, each: Implementation, who: _Who | None, answer: PolicyAnswer | Failure | None
    ) -> PolicyAnswer | Failure | None:
        if who is None or not isinstance(answer, PolicyAnswer) or answer.cache_key is None:
            return answer
        self._keys.put((each, who), answer.cache_key)
        place = (each, who[0], answer.cache_key)
        if (shared := self._answers.get(place)) is not None:
            return shared
        self._answers.put(place, answer)
        return answer

    def _shared_verdict(
        self,
        tools_key: str | None,
        answers: Sequence[tuple[Implementation, PolicyAnswer | Failure | None]],
        asked: Mapping[str, None],
    ) -> PolicyVerdict:
        keys = tuple(
            (each, answer.cache_key)
            for each, answer in answers
            if isinstance(answer, PolicyAnswer) and answer.cache_key is not None
        )
        place = (tools_key, keys) if tools_key is not None and len(keys) == len(answers) else None
        if place is not None and (kept := self._verdicts.get(place)) is not None:
            return kept
        verdict = self._combined(answers, asked, cacheable=len(keys) == len(answers))
        if place is not None:
            self._verdicts.put(place, verdict)
        return verdict

    def _asked_ids(self, tools_key: str | None, tools: Sequence[Tool]) -> Mapping[str, None]:
        ids = None if tools_key is None else self._ids.get(tools_key)
        if ids is None:
            ids = dict.fromkeys(tool.id for tool in tools)
            if tools_key is not None:
                self._ids.put(tools_key, ids)
        return ids

    def _combined(
        self,
        answers: Sequence[tuple[Implementation, PolicyAnswer | Failure | None]],
        asked: Mapping[str, None],
        *,
        cacheable: bool,
    ) -> PolicyVerdict:
        denied: dict[str, Stamped[Ruling]] = {}
        asks: dict[str, tuple[Stamped[Ruling], ...]] = {}
        diagnostics: list[Diagnostic] = []
        for each, answer in answers:
            plugin = each.plugin.name
            match answer:
                case Failure() if each.closed:
                    reason = f"the policy {plugin} {answer.said}"
                    denied = {
                        **dict.fromkeys(asked, Stamped(plugin, Ruling(reason=reason))),
                        **denied,
                    }
                    diagnostics.append(_failed(each, answer, len(asked)))
                case PolicyAnswer():
                    diagnostics.extend(answer.diagnostics)
                    for tool_id, denial in answer.denied.items():
                        denied.setdefault(tool_id, Stamped(plugin, denial))
                    for tool_id, question in answer.asks.items():
                        asks[tool_id] = (*asks.get(tool_id, ()), Stamped(plugin, question))
        open_asks = {tool_id: given for tool_id, given in asks.items() if tool_id not in denied}
        return PolicyVerdict(denied, open_asks, cacheable, tuple(diagnostics))


def identity(run: RunContext) -> tuple[Hashable, ...]:
    """Everything that makes two runs equal to a policy: all but their ids."""
    return tuple(
        identity(value) if isinstance(value, RunContext) else value
        for name, value in run
        if name != "run_id"
    )


async def judged(
    dispatcher: Dispatcher,
    each: Implementation,
    run: RunContext,
    tools: Sequence[Tool],
    arguments: Mapping[str, Any] | None,
    asked: Mapping[str, None] | None = None,
) -> PolicyAnswer | Failure | None:
    """What one policy answers about tools, whose ids are `asked` where the caller has them.

    An answer that is not in form, or about a tool that was not asked about, is a failure: whoever
    denies by another name than the id has denied nothing, and believes that he did.
    """
    ids = dict.fromkeys(tool.id for tool in tools) if asked is None else asked
    values = {"run": run, "tools": tools, "arguments": own_arguments(arguments)}
    outcome = await dispatcher.ask(each, values, partial(_policy_answer, ids))
    return outcome.value if isinstance(outcome, Answer) else outcome


def _failed(each: Implementation, failure: Failure, asked: int) -> Diagnostic:
    # What it raised may hold content, which is for the host's own diagnostics.
    said = failure.cause if failure.error is None else failure.said
    return Diagnostic(
        level="error",
        code="policy.failed",
        message=f"the policy {each.plugin.name} {said}; the {asked} tools it was asked about are "
        "denied",
        subject=each.plugin.name,
        cure=f"mend the plugin, or disable it: plugins.disabled: [{each.plugin.name!r}]",
    )


def _policy_answer(asked: Mapping[str, None], value: Any) -> PolicyAnswer | None:
    answer = one_of(PolicyAnswer)(value)
    if answer is not None:
        for ruling in (*answer.denied.values(), *answer.asks.values()):
            if not isinstance(ruling, Ruling):
                raise wrong(ruling, "Ruling")
        for named in (answer.denied, answer.asks):
            if not named.keys() <= asked.keys():
                raise _foreign(named, asked)
        if answer.cache_key is not None and not isinstance(answer.cache_key, str):
            raise WrongAnswer("cache_key is not text")
    return answer


def _foreign(named: Mapping[Any, Any], asked: Mapping[str, None]) -> WrongAnswer:
    """The error for an answer about what was not asked: a tool's name, often, in place of its id."""
    key = next(key for key in named if key not in asked)
    meant = next((tool_id for tool_id in asked if tool_id.split(":", 2)[-1] == key), None)
    example = meant or next(iter(asked), None)
    such = f", as {example!r}" if example else ""
    said = one_line(repr(key), 80)
    return WrongAnswer(f"{said} is the id of no tool it was asked about; answer by `tool.id`{such}")
