"""Asks the questions in a planned run, and notes at which place each tool came."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen

from toolsearch_hookspecs import RunApi, Tool

from ._memory import resident
from ._questions import Question, questions


@frozen
class Answer:
    """A question about a tool, where the tool came (1 is first, None is not at all), and the ids
    that came before it."""

    question: Question
    place: int | None
    before: tuple[str, ...]
    milliseconds: float


@frozen
class Filing:
    """What the first search of a process costs, which files all tools in the index: how long it
    took, and by how many bytes the process grew (`held` in all), both with the libraries that the
    index loads; None where the system does not tell."""

    milliseconds: float
    grown: int | None
    held: int | None


@define
class Measured:
    """The answers for each tool, by id; `absent` are the tools that the run may not use."""

    filing: Filing
    answers: dict[str, list[Answer]] = field(factory=dict)
    absent: list[str] = field(factory=list)


async def measured(run: RunApi, tools: Sequence[Tool], limit: int) -> Measured:
    """Ask for each tool. The first search of all is measured apart, since it builds the index."""
    found = Measured(await _filing(run))
    for tool in tools:
        if tool.id not in await _hits(run, tool.id, 1):
            found.absent.append(tool.id)
            continue
        found.answers[tool.id] = [
            await _answer(run, tool, question, limit) for question in questions(tool)
        ]
    return found


async def _filing(run: RunApi) -> Filing:
    before = resident()
    began = time.perf_counter()
    await _hits(run, "anything at all", 1)
    took = (time.perf_counter() - began) * 1_000
    after = resident()
    grown = None if before is None or after is None else max(0, after - before)
    return Filing(took, grown, after)


async def _answer(run: RunApi, tool: Tool, question: Question, limit: int) -> Answer:
    began = time.perf_counter()
    ids = await _hits(run, question.text, limit)
    took = (time.perf_counter() - began) * 1_000
    if tool.id not in ids:
        return Answer(question, None, tuple(ids), took)
    place = ids.index(tool.id)
    return Answer(question, place + 1, tuple(ids[:place]), took)


async def _hits(run: RunApi, text: str, limit: int) -> list[str]:
    result: Any = (await run.control("tool_search", {"query": text, "limit": limit})).value
    return [hit["id"] for hit in result["hits"]] if isinstance(result, dict) else []
