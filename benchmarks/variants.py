"""Variants of a set's queries: with a slip of one letter, and such that nothing answers."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence

from attrs import evolve
from catalogs import Query, RetrievalSet

from toolsearch_hookspecs import Tool

SHORTEST_SLIPPED = 5
FOREIGN_QUERIES = 60
SERVER_SIZES = range(5, 41)
MOST_SERVERS = 12


def with_slips(queries: Sequence[Query], *, seed: int = 0) -> list[Query]:
    """Each query with one slip in one of its longer words, where it has one."""
    chance = random.Random(seed)
    return [evolve(query, text=_slipped(query.text, chance)) for query in queries]


def _slipped(text: str, chance: random.Random) -> str:
    words = [
        match for match in re.finditer(r"[A-Za-z]+", text) if len(match.group()) >= SHORTEST_SLIPPED
    ]
    if not words:
        return text
    match = chance.choice(words)
    word, place = match.group(), chance.randrange(1, len(match.group()) - 1)
    head, tail = word[:place], word[place:]
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    slipped = chance.choice(
        [
            head + tail[1:],
            head + letter + tail,
            head + letter + tail[1:],
            head + tail[1] + tail[0] + tail[2:],
        ]
    )
    return text[: match.start()] + slipped + text[match.end() :]


def foreign(
    sets: Sequence[RetrievalSet], *, seed: int = 0
) -> list[tuple[str, Sequence[Tool], Sequence[Query]]]:
    """Catalogs of one server each, with requests of other sets that it has no tool for.

    A few of the requests do have an answer there by accident, so that the share of them that is
    answered is an upper bound of the false answers.
    """
    chance = random.Random(seed)
    catalogs = []
    for one in sets:
        servers = defaultdict(list)
        for tool in one.tools:
            servers[tool.owner].append(tool)
        fit = sorted(name for name, tools in servers.items() if len(tools) in SERVER_SIZES)
        others = [query for other in sets if other is not one for query in other.queries]
        if not others:
            continue
        for name in chance.sample(fit, min(MOST_SERVERS, len(fit))):
            asked = chance.sample(others, min(FOREIGN_QUERIES, len(others)))
            catalogs.append((f"{one.name}/{name}", servers[name], asked))
    return catalogs
