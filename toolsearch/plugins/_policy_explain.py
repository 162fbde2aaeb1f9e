"""What each policy says of one tool, for the operator: its ruling, and its own explanation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from toolsearch_hookspecs import LevelVerdict, PolicyAnswer, PolicyExplanation, RunContext, Tool

from ._answers import Stamped
from ._arguments import own_arguments
from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._outcome import Answer, Failure, one_of
from ._policy import judged

Word = Literal["allow", "ask", "deny"]


async def explanations(
    dispatcher: Dispatcher, run: RunContext, tool: Tool, arguments: Mapping[str, Any] | None
) -> list[Stamped[PolicyExplanation]]:
    """One explanation for each policy, in the total order.

    What decides is what the policy answers (`toolsearch_tool_policy`), as at planning, or with
    arguments as at a call. What it explains (`toolsearch_policy_explain`) stands beside it, and
    alone where a plugin does nothing else.
    """
    judges = {each.plugin.name: each for each in _of(dispatcher, "toolsearch_tool_policy")}
    explaining = {each.plugin.name: each for each in _of(dispatcher, "toolsearch_policy_explain")}
    given: list[Stamped[PolicyExplanation]] = []
    for plugin in dict.fromkeys((*judges, *explaining)):
        told = await _told(dispatcher, explaining.get(plugin), run, tool, arguments)
        if plugin in judges:
            answer = await judged(dispatcher, judges[plugin], run, (tool,), arguments)
            told = _decided(_ruling(answer, tool), told)
        if told is not None:
            given.append(Stamped(plugin, told))
    return given


def _of(dispatcher: Dispatcher, hook: str) -> tuple[Implementation, ...]:
    return dispatcher.implementations.of(hook)


async def _told(
    dispatcher: Dispatcher,
    each: Implementation | None,
    run: RunContext,
    tool: Tool,
    arguments: Mapping[str, Any] | None,
) -> PolicyExplanation | None:
    if each is None:
        return None
    values = {"run": run, "tool": tool, "arguments": own_arguments(arguments)}
    outcome = await dispatcher.ask(each, values, one_of(PolicyExplanation))
    return outcome.value if isinstance(outcome, Answer) else None


def _ruling(answer: PolicyAnswer | Failure | None, tool: Tool) -> LevelVerdict | None:
    """What an answer says of the tool; None where it has nothing against it."""
    word: Word
    match answer:
        case Failure(cause=cause):
            return LevelVerdict(level="", verdict="deny", reason=f"it {cause}")
        case PolicyAnswer(denied=denied) if tool.id in denied:
            word, ruling = "deny", denied[tool.id]
        case PolicyAnswer(asks=asks) if tool.id in asks:
            word, ruling = "ask", asks[tool.id]
        case _:
            return None
    return LevelVerdict(
        level=ruling.level or "", verdict=word, entry=ruling.entry, reason=ruling.reason
    )


def _decided(ruling: LevelVerdict | None, told: PolicyExplanation | None) -> PolicyExplanation:
    """The policy's explanation where it agrees with its ruling, else the ruling."""
    verdict = "allow" if ruling is None else ruling.verdict
    if told is not None and told.verdict == verdict:
        return told
    return PolicyExplanation(
        verdict=verdict, decided_by=ruling, levels=() if told is None else told.levels
    )
