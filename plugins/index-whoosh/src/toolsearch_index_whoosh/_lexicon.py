"""Words that people ask with, led to the words that tools are described with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files

from attrs import frozen

from ._words import words

# How much a word of the concept counts for another of its words, for what goes with it, the other
# way round, and for an instance (`hurricane`) towards its concept and what goes with that.
SAME = 1.0
BESIDE = 0.4
BACK = 0.3
INSTANCE = 0.8
INSTANCE_BESIDE = 0.1

Term = Callable[[str], str | None]


@frozen
class Lexicon:
    """For each term, the terms that it leads to, and how strongly (0 to 1)."""

    leads: Mapping[str, Mapping[str, float]]

    def around(self, term: str) -> Mapping[str, float]:
        return self.leads.get(term, {})


def lexicon(term: Term) -> Lexicon:
    """The lexicon that ships with the plugin, its words turned into terms by `term`."""
    text = files(__package__).joinpath("lexicon.txt").read_text(encoding="utf-8")
    return parse(text.splitlines(), term)


def parse(lines: Iterable[str], term: Term) -> Lexicon:
    """Read concepts, one a line: `same words ~ what goes with them : instances`."""
    leads: dict[str, dict[str, float]] = {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            _lead(leads, *_concept(line, term))
    return Lexicon(leads)


def _concept(line: str, term: Term) -> tuple[list[str], list[str], list[str]]:
    described, _, instances = line.partition(" : ")
    same, _, beside = described.partition(" ~ ")
    return _terms(same, term), _terms(beside, term), _terms(instances, term)


def _terms(text: str, term: Term) -> list[str]:
    return list(dict.fromkeys(found for word in words(text) if (found := term(word)) is not None))


def _lead(
    leads: dict[str, dict[str, float]], same: list[str], beside: list[str], instances: list[str]
) -> None:
    for sources, targets, weight in (
        (same, same, SAME),
        (same, beside, BESIDE),
        (beside, same, BACK),
        (instances, same, INSTANCE),
        (instances, beside, INSTANCE_BESIDE),
    ):
        for source in sources:
            reached = leads.setdefault(source, {})
            for target in targets:
                if target != source:
                    reached[target] = max(reached.get(target, 0.0), weight)
