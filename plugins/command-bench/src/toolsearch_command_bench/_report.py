"""What the answers say about the catalog."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Tool

from ._measuring import Answer, Filing, Measured
from ._questions import KINDS, first_clause

BY_DESCRIPTION = ("first clause", "other verbs", "telling words")
FEWEST_WORDS = 4
MEGABYTE = 1e6

NO_DESCRIPTION = "no description"
SAME_BEGINNING = "begins as another description does"
FEW_WORDS = "hardly any words"
NOT_FOUND = "not found by its own description"


@frozen
class Work:
    """A tool whose description needs work, why, and the tool that it is mistaken for."""

    id: str
    reason: str
    other: str | None = None


@frozen
class Report:
    """`tools` of the `catalog` were asked for. `kinds` gives for each way of asking how many were
    asked, and the shares found first, among five and at all; `twins` are pairs that stand in each
    other's place; `filing` says what the index cost, and `milliseconds` what a search takes."""

    tools: int
    catalog: int
    absent: Sequence[str]
    kinds: Mapping[str, Mapping[str, float]]
    unfound: Sequence[str]
    twins: Sequence[tuple[str, str]]
    work: Sequence[Work]
    filing: Mapping[str, float]
    milliseconds: Mapping[str, float]
    places: Mapping[str, int]

    def data(self) -> dict[str, Any]:
        return {
            "tools": self.tools,
            "catalog": self.catalog,
            "absent": list(self.absent),
            "found": {kind: dict(shares) for kind, shares in self.kinds.items()},
            "unfound": list(self.unfound),
            "twins": [list(pair) for pair in self.twins],
            "descriptions": [
                {"tool": work.id, "reason": work.reason}
                | ({"other": work.other} if work.other else {})
                for work in self.work
            ],
            "index": dict(self.filing),
            "milliseconds": dict(self.milliseconds),
            "places": dict(self.places),
        }


def report(found: Measured, tools: Sequence[Tool], catalog: int) -> Report:
    answers = found.answers
    asked = [answer for those in answers.values() for answer in those]
    unfound = [id_ for id_, those in answers.items() if _only_by_name(those)]
    times = _milliseconds(asked)
    return Report(
        tools=len(answers),
        catalog=catalog,
        absent=found.absent,
        kinds={kind: _shares(a for a in asked if a.question.kind == kind) for kind in KINDS},
        unfound=unfound,
        twins=_twins(answers),
        work=[*_work([tool for tool in tools if tool.id in answers], frozenset(unfound))],
        filing=_cost(found.filing, times.get("p50", 0.0)),
        milliseconds=times,
        places=Counter("none" if a.place is None else str(a.place) for a in asked),
    )


def _cost(filing: Filing, search: float) -> Mapping[str, float]:
    """Of the index alone: a search itself is taken off the first one."""
    cost = {"milliseconds": round(max(0.0, filing.milliseconds - search), 1)}
    if filing.grown is not None and filing.held is not None:
        cost["megabytes"] = round(filing.grown / MEGABYTE, 1)
        cost["process megabytes"] = round(filing.held / MEGABYTE, 1)
    return cost


def _shares(answers: Iterable[Answer]) -> Mapping[str, float]:
    places = [answer.place for answer in answers]
    if not places:
        return {"asked": 0}
    came = [place for place in places if place is not None]
    return {
        "asked": len(places),
        "first": round(sum(place == 1 for place in came) / len(places), 3),
        "five": round(sum(place <= 5 for place in came) / len(places), 3),
        "found": round(len(came) / len(places), 3),
    }


def _described(answers: Iterable[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.question.kind in BY_DESCRIPTION]


def _only_by_name(answers: Sequence[Answer]) -> bool:
    return all(answer.place is None for answer in _described(answers))


def _twins(answers: Mapping[str, Sequence[Answer]]) -> list[tuple[str, str]]:
    """Pairs of which each stands before the other when the other is asked for."""
    before = {
        id_: frozenset(other for answer in _described(those) for other in answer.before)
        for id_, those in answers.items()
    }
    return sorted(
        (one, other)
        for one, others in before.items()
        for other in others
        if one < other and one in before.get(other, frozenset())
    )


def _work(tools: Sequence[Tool], unfound: frozenset[str]) -> Iterable[Work]:
    beginning = defaultdict(list)
    for tool in tools:
        beginning[first_clause(tool).lower()].append(tool.id)
    for tool in tools:
        clause = first_clause(tool)
        same = [id_ for id_ in beginning[clause.lower()] if id_ != tool.id]
        if not clause:
            yield Work(tool.id, NO_DESCRIPTION)
        elif same:
            yield Work(tool.id, SAME_BEGINNING, same[0])
        elif len(tool.description.split()) < FEWEST_WORDS and tool.description.isascii():
            yield Work(tool.id, FEW_WORDS)
        elif tool.id in unfound:
            yield Work(tool.id, NOT_FOUND)


def _milliseconds(asked: Sequence[Answer]) -> Mapping[str, float]:
    times = sorted(answer.milliseconds for answer in asked)
    if not times:
        return {}
    return {"p50": round(median(times), 2), "p95": round(times[int(len(times) * 0.95)], 2)}
