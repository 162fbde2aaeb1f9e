"""Ranking: a chain in which each plugin may reorder or drop hits, and none may add one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsearch_hookspecs import Diagnostic, RankedTool, RunContext

from ._dispatch import Dispatcher
from ._implementations import Implementation
from ._outcome import Answer, wrong


async def ranked(
    dispatcher: Dispatcher, run: RunContext, query: str, hits: Sequence[RankedTool]
) -> tuple[RankedTool, ...]:
    """The hits given, in the order that the plugins left; after a failure the order before it."""
    present = tuple(hits)
    for each in dispatcher.implementations.of("toolsearch_rank"):
        values = {"run": run, "query": query, "hits": present}
        match await dispatcher.ask(each, values, _order):
            case Answer(value=tuple() as order):
                present = _kept(dispatcher, each, present, order)
    return present


def _order(value: Any) -> tuple[str, ...] | None:
    """The keys of the hits answered, in order."""
    if value is None:
        return None
    if not isinstance(value, Sequence):
        raise wrong(value, "a sequence of RankedTool")
    for hit in value:
        if not isinstance(hit, RankedTool):
            raise wrong(hit, "RankedTool")
    return tuple(hit.tool.key for hit in value)


def _kept(
    dispatcher: Dispatcher,
    each: Implementation,
    present: tuple[RankedTool, ...],
    order: tuple[str, ...],
) -> tuple[RankedTool, ...]:
    """The present hits in the order answered: a plugin decides the order, not what a hit says."""
    by_key = {hit.tool.key: hit for hit in present}
    foreign = sum(key not in by_key for key in order)
    if foreign:
        dispatcher.reports.add(
            Diagnostic(
                level="warning",
                code="plugins.foreign-answer",
                message=f"{each}: added {foreign} hits that it was not given; they are ignored",
                subject=each.plugin.name,
                cure="reorder or drop the hits given, and add none",
            ),
            once=("foreign", each.plugin.name, each.rule.name),
        )
    return tuple(by_key[key] for key in dict.fromkeys(order) if key in by_key)
