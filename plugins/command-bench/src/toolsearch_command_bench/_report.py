"""What the answers say about the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from attrs import frozen

from toolsearch_hookspecs import Tool

from ._measuring import Answer, Measured
from ._questions import KINDS, first_clause

BY_DESCRIPTION = ("first clause", "other verbs", "telling words")
FEWEST_WORDS = 4
MOST_LISTED = 20


@frozen
class Work:
    """A tool whose description needs work, and why."""

    id: str
    reason: str


@frozen
class Report:
    """`kinds` gives for each way of asking how many were asked, and the shares found first, among
    five and at all; `twins` are pairs that stand in each other's place."""

    tools: int
    absent: Sequence[str]
    kinds: Mapping[str, Mapping[str, float]]
    unfound: Sequence[str]
    twins: Sequence[tuple[str, str]]
    work: Sequence[Work]
    milliseconds: Mapping[str, float]
    places: Mapping[str, int]

    def data(self) -> dict[str, Any]:
        return {
            "tools": self.tools,
            "absent": list(self.absent),
            "found": {kind: dict(shares) for kind, shares in self.kinds.items()},
            "unfound": list(self.unfound),
            "twins": [list(pair) for pair in self.twins],
            "descriptions": {work.id: work.reason for work in self.work},
            "milliseconds": dict(self.milliseconds),
            "places": dict(self.places),
        }


def report(found: Measured, tools: Sequence[Tool]) -> Report:
    answers = found.answers
    asked = [answer for those in answers.values() for answer in those]
    unfound = [id_ for id_, those in answers.items() if _only_by_name(those)]
    return Report(
        tools=len(answers),
        absent=found.absent,
        kinds={kind: _shares(a for a in asked if a.question.kind == kind) for kind in KINDS},
        unfound=unfound,
        twins=_twins(answers),
        work=[*_work([tool for tool in tools if tool.id in answers], frozenset(unfound))],
        milliseconds=_milliseconds(found, asked),
        places=Counter("none" if a.place is None else str(a.place) for a in asked),
    )


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
    clauses = Counter(first_clause(tool).lower() for tool in tools if first_clause(tool))
    for tool in tools:
        clause = first_clause(tool)
        if not clause:
            yield Work(tool.id, "has no description")
        elif clauses[clause.lower()] > 1:
            yield Work(tool.id, f"begins as {clauses[clause.lower()] - 1} other descriptions do")
        elif len(tool.description.split()) < FEWEST_WORDS and tool.description.isascii():
            yield Work(tool.id, "has a description of hardly any words")
        elif tool.id in unfound:
            yield Work(tool.id, "is not found by its own description")


def _milliseconds(found: Measured, asked: Sequence[Answer]) -> Mapping[str, float]:
    times = sorted(answer.milliseconds for answer in asked)
    if not times:
        return {}
    return {
        "first": round(found.first_milliseconds, 1),
        "p50": round(median(times), 2),
        "p95": round(times[int(len(times) * 0.95)], 2),
    }
