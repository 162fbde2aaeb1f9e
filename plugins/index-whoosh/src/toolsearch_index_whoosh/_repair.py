"""Mends words that no allowed tool has: a slip of one letter, or two words written as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._languages import Languages
from ._lexicon import Lexicon
from ._tongues import Tongue
from ._view import MOST_COUNTS, View

SHORTEST = 4
LONGEST = 24
SHORTEST_PART = 3

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "αβγδεζηθικλμνξοπρστυφχψως",
)


class Repair:
    """Finds what a word was meant to be among the words of a view."""

    def __init__(self, view: View, languages: Languages, lexicon: Lexicon) -> None:
        self._view = view
        self._languages = languages
        self._lexicon = lexicon
        self._mended: dict[str, Sequence[str]] = {}
        self.tongues: Sequence[Tongue] = languages.tongues(view.tongues)

    def stems(self, stems: Sequence[str]) -> list[str]:
        """Those of the stems that a tool has."""
        return [stem for stem in stems if self._view.has(stem)]

    def __call__(self, term: str, stems: Sequence[str] = ()) -> Sequence[str]:
        """The term itself where a tool has it, or the lexicon leads on from it; else nothing where
        a tool has one of its stems, else its mend.
        """
        if self._view.count(term) or self._lexicon.around(term):
            return (term,)
        if stems:
            return ()
        if not SHORTEST <= len(term) <= LONGEST or not term.isalpha():
            return (term,)
        found = self._mended.get(term)
        if found is None:
            if len(self._mended) >= MOST_COUNTS:
                self._mended.clear()
            found = self._mended[term] = self._mend(term)
        return found

    def _mend(self, term: str) -> Sequence[str]:
        word = self._languages.spelled(term)
        near = {
            candidate
            for text in dict.fromkeys((word, term))
            for edited in edits(text)
            for candidate in (edited, self._languages.known(edited))
            if candidate is not None and self._view.has(candidate)
        }
        if near:
            return (max(near, key=lambda one: (one[0] == term[0], self._view.count(one), one)),)
        for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            left, right = self._languages.term(word[:cut]), self._languages.term(word[cut:])
            if left and right and self._view.has(left) and self._view.has(right):
                return (left, right)
        return (term,)


def edits(word: str) -> Iterator[str]:
    """Every text that one slip away: a letter left out, doubled, swapped, wrong or too many."""
    alphabet = next((letters for letters in _ALPHABETS if word[0] in letters), "")
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        for letter in alphabet:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
