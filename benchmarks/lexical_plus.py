"""The baseline: one weighted field under BM25, with four tricks beside it.

Written apart from the project's own index, from a description of what did best among the ways of
ranking tools by words alone: intent groups, neighbouring words, the best clause of a long request
and coverage of the tool's name.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from whoosh.lang.porter import stem

K1, B = 1.5, 0.75
WEIGHTS = {"name": 3, "server": 1.5, "description": 1, "parameters": 0.5, "server_description": 0.5}
INTENT, PAIR, CLAUSE, COVERAGE = 0.15, 0.25, 0.3, 0.2

STOP = frozenset(
    """a about all also am an and any are as at be been being both but by can could did do does doing
    done each for from had has have having he her here hers him his how i if in into is it its
    itself just let like me more most my myself need no nor not of on or other our ours out please
    she should so some such than that the their theirs them then there these they this those to too
    up us use used using very via want was we were what when where which while who whom why will
    with would you your yours""".split()
)
GROUPS = """
get fetch retrieve read view show obtain
search find look lookup query discover
list enumerate browse
create add new make generate build compose insert
update edit modify change set patch
delete remove drop erase clear destroy
send post submit publish message notify
calculate compute evaluate
convert transform translate
check verify validate test
run execute start launch invoke
stop cancel terminate kill end
analyze analyse inspect examine
book reserve schedule plan
buy purchase order
download export save
upload import load
weather forecast
picture image photo
movie film
song music track
email mail
"""
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
CLAUSE_END = re.compile(r"[.;:!?\n]+|,\s|\b(?:and|then|also|after that|finally)\b", re.IGNORECASE)


def terms(text: str) -> list[str]:
    found = []
    for token in re.findall(r"[^\W_]+", text):
        parts = [part.lower() for part in PART.findall(token)]
        words = [token.lower(), *parts] if len(parts) == 2 else parts
        found += [stem(word) if len(word) > 2 else word for word in words if word not in STOP]
    return found


def parameter_text(schema: Any, depth: int = 3) -> str:
    if depth == 0 or not isinstance(schema, Mapping):
        return ""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return ""
    parts = []
    for name, value in properties.items():
        described = value.get("description", "") if isinstance(value, Mapping) else ""
        parts += [name, str(described), parameter_text(value, depth - 1)]
    return " ".join(parts)


class LexicalPlus:
    """Build with the records of a set; `rank` gives their numbers, best first."""

    def __init__(self, records: Sequence[Mapping[str, Any]]) -> None:
        self.size = len(records)
        bodies = [self._body(record) for record in records]
        names = [terms(record["name"]) for record in records]
        lengths = np.array([sum(body.values()) for body in bodies])
        norms = K1 * (1 - B + B * lengths / lengths.mean())
        self.body = self._columns(bodies)
        for term, (documents, weights) in self.body.items():
            share = weights * (K1 + 1) / (weights + norms[documents])
            self.body[term] = documents, self._rarity(len(documents)) * share
        self.names = self._columns(
            [dict.fromkeys(name, 1 / max(1, len(set(name)))) for name in names]
        )
        described = [terms(record.get("description") or "") for record in records]
        pairs = [
            dict.fromkeys(itertools.pairwise(text), 1.0)
            | dict.fromkeys(itertools.pairwise(name), 3.0)
            for text, name in zip(described, names, strict=True)
        ]
        self.pairs = self._columns(pairs)
        self.groups: dict[str, set[str]] = defaultdict(set)
        for line in GROUPS.split("\n"):
            group = {stem(word) for word in line.split()}
            for term in group:
                self.groups[term] |= group - {term}

    def rank(self, query: str, limit: int) -> list[int]:
        asked = terms(query)
        once = list(dict.fromkeys(asked))
        scores = self._sum(self.body, once)
        for term in once:
            for other in sorted(self.groups.get(term, ())):
                if other not in once and other in self.body:
                    documents, values = self.body[other]
                    scores[documents] += INTENT * values
        clauses = [terms(part) for part in CLAUSE_END.split(query)]
        several = [dict.fromkeys(clause) for clause in clauses if len(clause) > 1]
        if len(several) > 1:
            scores += CLAUSE * np.max([self._sum(self.body, one) for one in several], axis=0)
        for pair in dict.fromkeys(itertools.pairwise(asked)):
            if pair in self.pairs:
                documents, weights = self.pairs[pair]
                scores[documents] += PAIR * self._rarity(len(documents)) * weights
        scores += COVERAGE * scores.max() * self._sum(self.names, once)
        order = np.argsort(-scores, kind="stable")[:limit]
        return [int(number) for number in order if scores[number] > 0]

    def _body(self, record: Mapping[str, Any]) -> Counter[str]:
        body: Counter[str] = Counter()
        texts = dict(record) | {"parameters": parameter_text(record.get("parameters"))}
        for field, weight in WEIGHTS.items():
            for term in terms(texts.get(field) or ""):
                body[term] += weight
        return body

    def _columns(self, documents: Iterable[Mapping[Any, float]]) -> dict[Any, Any]:
        columns: dict[Any, Any] = defaultdict(lambda: ([], []))
        for number, weights in enumerate(documents):
            for term, weight in weights.items():
                columns[term][0].append(number)
                columns[term][1].append(weight)
        return {
            term: (np.array(numbers), np.array(weights, float))
            for term, (numbers, weights) in columns.items()
        }

    def _sum(self, columns: Mapping[Any, Any], asked: Iterable[str]) -> Any:
        scores = np.zeros(self.size)
        for term in asked:
            if term in columns:
                documents, values = columns[term]
                scores[documents] += values
        return scores

    def _rarity(self, count: int) -> float:
        return math.log(1 + (self.size - count + 0.5) / (count + 0.5))
