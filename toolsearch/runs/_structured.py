"""Answers the structured control tools: arguments read leniently, answers in one budget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs import ErrorCode

from ..calls import fail
from ..text import one_line
from ._search import Found, Search, serialized_bytes

QUERY_SHOWN = 120  # characters of a query that an answer repeats
LARGEST_LIMIT = 1_000_000


def as_mapping(arguments: Any) -> Mapping[str, Any]:
    """The arguments of a control tool; a JSON object in a string is taken for what it is."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    if isinstance(arguments, Mapping):
        return arguments
    raise fail(ErrorCode.INVALID_ARGUMENTS, "the arguments are not a JSON object. Not executed.")


async def search_answer(
    search: Search, arguments: Any, call_id: str, max_bytes: int, max_queries: int
) -> dict[str, Any]:
    """`{hits, hint?, truncated?}`, or `{results: [...]}` for `queries` (S5.2).

    A `query` beside `queries` is the first of them; beside a list that is empty it stands alone.
    """
    given = as_mapping(arguments)
    queries = given.get("queries")
    beside = isinstance(given.get("query"), str) and bool(given["query"].strip())
    if queries is None or (queries == [] and beside):
        query = _query(given)
        found = await search.find(query, _limit(given), call_id)
        return _fitted([(query, found)], max_bytes)[0]
    if not isinstance(queries, list) or not queries:
        raise fail(ErrorCode.INVALID_ARGUMENTS, "queries is a list of {query, limit?}.")
    if beside:
        queries = [{"query": given["query"], "limit": given.get("limit")}, *queries]
    kept = [_one(item) for item in queries[:max_queries]]
    answers = [
        (_query(item), await search.find(_query(item), _limit(item), call_id)) for item in kept
    ]
    answer: dict[str, Any] = {"results": _fitted(answers, max_bytes, named=True)}
    if len(queries) > max_queries:
        answer["truncated"] = f"only the first {max_queries} queries were answered"
    return answer


def found_ids(answer: Mapping[str, Any]) -> list[str]:
    """The ids of all hits of an answer, each once, best first."""
    answers = answer.get("results", [answer])
    return list(dict.fromkeys(hit["id"] for each in answers for hit in each["hits"]))


def _one(item: Any) -> Mapping[str, Any]:
    return {"query": item} if isinstance(item, str) else as_mapping(item)


def _query(given: Mapping[str, Any]) -> str:
    query = given.get("query")
    if not isinstance(query, str):
        raise fail(
            ErrorCode.INVALID_ARGUMENTS,
            'give `query`, a few words for one capability: {"query": "create an issue"}.',
        )
    return query


def _limit(given: Mapping[str, Any]) -> int | None:
    limit = given.get("limit")
    if isinstance(limit, str) and limit.strip().isdecimal() and len(limit) < 20:
        return int(limit)
    return whole_number(limit)


def whole_number(limit: Any) -> int | None:
    """A limit as a number, whatever it was written as. Raises CallError where it is none."""
    match limit:
        case None:
            return None
        case bool():
            pass
        case int():
            return limit
        case float() if abs(limit) < LARGEST_LIMIT:  # neither NaN nor infinite
            return int(limit)
    raise fail(ErrorCode.INVALID_ARGUMENTS, "limit is a whole number.")


def _fitted(
    answers: list[tuple[str, Found]], max_bytes: int, *, named: bool = False
) -> list[dict[str, Any]]:
    """All answers within one budget; where hits are cut, `truncated` says how many."""
    left = max_bytes
    fitted = []
    for query, found in answers:
        answer: dict[str, Any] = {"query": one_line(query, QUERY_SHOWN)} if named else {}
        hits: list[Mapping[str, Any]] = []
        answer["hits"] = hits
        for hit in found.hits:
            size = serialized_bytes(hit) + 1
            if size > left:
                answer["truncated"] = f"{len(found.hits) - len(hits)} more hits did not fit"
                break
            left -= size
            hits.append(hit)
        if found.hint:
            answer["hint"] = found.hint
        fitted.append(answer)
    return fitted
