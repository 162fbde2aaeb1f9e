"""However the best are found, they are those that adding up everything finds."""

from __future__ import annotations

import asyncio
import importlib.util
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolsearch_hookspecs import SearchQuery
from toolsearch_index_whoosh import IndexSettings, _lane_view, _lanes, _view
from toolsearch_index_whoosh._index import WhooshIndex
from toolsearch_index_whoosh._query import plan
from toolsearch_index_whoosh._view import (
    ALIKE,
    CLAUSE,
    COVERAGE,
    PAIR,
    UNIT,
    around,
    factor,
)

from .conftest import make_tool, mask

WORDS = [
    *("create", "delete", "list", "find", "get", "send", "read", "open", "convert", "search"),
    *("file", "page", "message", "issue", "calendar", "image", "invoice", "weather", "user"),
    *("umbrella", "photo", "mail", "zebra", "and", ","),
]
WAYS = [
    "off",
    pytest.param(
        "auto",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("numpy") is None, reason="numpy is an optional extra"
        ),
    ),
]


@pytest.fixture(params=["as it comes", "in small pieces", "entry by entry", "halved"])
def cut(request, monkeypatch):
    """Ways of holding columns that a catalog of this size would not come to."""
    match request.param:
        case "in small pieces":
            monkeypatch.setattr(_lanes, "BLOCK", 7)
        case "entry by entry":
            monkeypatch.setattr(_lane_view, "SPARSE", 0)
        case "halved":
            monkeypatch.setattr(_lanes, "SUM_BITS", 10)


@pytest.fixture(params=["few", "few, entry by entry", "all"])
def shortlist(request, monkeypatch):
    """How many are looked at closely: few, so that others must be left out, or all there are."""
    if request.param != "all":
        monkeypatch.setattr(_view, "SHORTLIST", 3)
        monkeypatch.setattr(_lane_view, "FIRST", 3)
    if "entry" in request.param:
        monkeypatch.setattr(_lane_view, "SPARSE", 0)


class Chance(random.Random):
    """Catalogs and requests as chance has them."""

    def text(self, least, most):
        return " ".join(self.choices(WORDS, k=self.randint(least, most)))

    def tools(self):
        return [
            make_tool(f"{self.choice(WORDS[:19])}_{number}", self.text(1, 9))
            for number in range(self.choice([1, 2, 20, 200]))
        ]

    def requests(self):
        for _ in range(6):
            text = self.text(1, 6) if self.random() < 0.5 else self.text(10, 40)
            yield text, tuple(self.sample(WORDS[:19], self.choice([0, 0, 1])))


async def searched(acceleration, tools, removed):
    """A view of an index that came to be in several steps."""
    index = WhooshIndex(IndexSettings(acceleration=acceleration, min_confidence=0))
    third = len(tools) // 3
    await index.update(tools[:third], frozenset())
    await index.update(tools[third:], frozenset(tool.key for tool in removed))
    allowed = mask([tool for tool in tools if tool not in removed])
    await index.search(SearchQuery(text="anything"), limit=1, allowed=allowed)
    view, mend = index._views[allowed.fingerprint]
    return view, lambda text, required: plan(
        SearchQuery(text=text, required=required), index._opened.languages, mend
    )


def postings(view, field, term):
    return {
        part.numbers[document]: share
        for part in view.parts
        for document, share in zip(*part.segment.postings(field, term), strict=True)
        if part.numbers[document] >= 0
    }


def added(shares, weight):
    return {document: int(share * factor(weight)) + 1 for document, share in shares.items()}


def everything(view, asked, limit):
    """The scores of all documents, added up one by one."""
    reach, spread = around(len(asked.terms))
    totals = Counter()
    bodies = {}
    for term, weight in asked.terms:
        shares = postings(view, "body", term)
        bodies[term] = added(shares, weight * view.rarity(len(shares)))
        totals.update(bodies[term])
        led = {}
        for strength, other in view.leads(term):
            best = postings(view, "body", other)
            chosen = sorted(best, key=lambda one, best=best: (-best[one], one))
            for document, value in added(
                {one: best[one] for one in chosen[: around(1)[0]]}, weight * spread * strength
            ).items():
                if document not in led and len(led) < reach:
                    led[document] = value
        totals.update(led)
    for pair in asked.pairs:
        shares = postings(view, "pairs", pair)
        totals.update(added(shares, PAIR * view.rarity(len(shares))))
    for ways in asked.required:
        having = [[postings(view, "body", term) for term in terms] for terms in ways]
        totals = Counter(
            {
                one: total
                for one, total in totals.items()
                if any(all(one in documents for documents in way) for way in having)
            }
        )
    listed = sorted(totals, key=lambda one: (-totals[one], one))[: max(limit, _view.SHORTLIST)]
    scores = {}
    for document in listed:
        clauses = [sum(bodies[t].get(document, 0) for t, _ in one) for one in asked.clauses]
        scores[document] = totals[document] / UNIT + CLAUSE * (max(clauses, default=0) / UNIT)
    unit = COVERAGE * max(scores.values(), default=0)
    weights = dict(asked.terms)
    for term, weight in asked.terms:
        for other, strength in view._lexicon.around(term).items():
            if strength == 1:
                weights[other] = max(weights.get(other, 0), weight * ALIKE)
    for document in scores:
        name = view._names[document]
        scores[document] += unit * (sum(weights.get(term, 0) for term in name) / len(name))
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


SEEDS = st.integers(0, 1 << 32).map(Chance)
EACH = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("acceleration", WAYS)
@EACH
@given(chance=SEEDS)
def test_the_best_are_those_that_adding_up_everything_finds(acceleration, shortlist, chance):
    tools = chance.tools()
    removed = chance.sample(tools, len(tools) // 9)
    view, read = asyncio.run(searched(acceleration, tools, removed))
    for text, required in chance.requests():
        asked = read(text, required)
        limit = chance.choice([1, 2, 5, 50])
        found = [(placed.document, placed.score) for placed in view.best(asked, limit)]
        expected = everything(view, asked, limit)[:limit]
        assert [document for document, _ in found] == [document for document, _ in expected]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected])


@EACH
@given(chance=SEEDS)
def test_with_numpy_or_without_hits_and_scores_are_the_same_to_the_last_bit(cut, chance):
    pytest.importorskip("numpy")
    tools = chance.tools()
    removed = chance.sample(tools, len(tools) // 9)
    fast, read = asyncio.run(searched("auto", tools, removed))
    plain, _ = asyncio.run(searched("off", tools, removed))
    assert type(fast) is not type(plain)
    for text, required in chance.requests():
        asked = read(text, required)
        for limit in (1, 8, 200):
            assert fast.best(asked, limit) == plain.best(asked, limit)


async def test_what_an_answer_leaves_out_does_not_change_what_it_has(catalog, tool):
    await catalog.add(*(tool(f"open_{n}", f"Open page {n % 9}") for n in range(120)))
    longest = await catalog.hits("open page 3, then page 4", limit=_view.SHORTLIST)
    for limit in (1, 8, 20):
        assert await catalog.hits("open page 3, then page 4", limit=limit) == longest[:limit]
