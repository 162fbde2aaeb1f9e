"""Languages beside the first one: told by their commonest words, or by their letters.

A text is in the languages that have most of its commonest words; where two are close, such as
Spanish and Portuguese in a short text, it is taken to be in both. English and the configured first
language are told apart from the others only, since they are the default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files

from attrs import field, frozen

from ._words import folded

# A text that has but one word of a language is in it only if it is this short.
SHORT = 8

# Stop words of other languages that are words of English, or of tools, as well.
LOOK_ALIKES = frozenset(
    "ad ai alt ami bare bin come com dell dig dog end era hat inn min mina mint oss per sea sedan ses"
    " sine sit todo ton".split()
)

MOST_REMEMBERED = 100_000

# What Whoosh's stemmers raise at words that are none of their language.
STUMBLES = (IndexError, KeyError, ValueError, TypeError, AttributeError)

# Letters of one language's script, from and to, where a stemmer knows it.
SCRIPTS = (("\u0400", "\u04ff", "ru"), ("\u0600", "\u06ff", "ar"))

# Of languages without a stemmer, a word's first letters stand for it.
LETTERS = 5
UNSTEMMED = {"tr"}
UNSTEMMED_SCRIPTS = (
    ("\u0370", "\u03ff"),
    ("\u0530", "\u058f"),
    ("\u10a0", "\u10ff"),
)  # Greek, Armenian, Georgian

Stem = Callable[[str], str]


def stemmer(language: str) -> Stem:
    """A language's stemmer, which gives a word that it cannot take as it is."""
    from whoosh.lang import NoStemmer, stemmer_for_language

    if language in UNSTEMMED:
        return _beginning
    try:
        # Porter's own stemmer for English is several times faster than his second one, and
        # finds as much.
        stem: Stem = stemmer_for_language("en_porter" if language == "en" else language)
    except NoStemmer:
        return _same

    def stemmed(word: str) -> str:
        try:
            return stem(word) or word
        except STUMBLES:
            return word

    return stemmed


def script_stemmer(letter: str) -> Stem:
    """The stemmer for words that begin with a letter of another script than Latin."""
    for first, last, language in SCRIPTS:
        if first <= letter <= last:
            return stemmer(language)
    if any(first <= letter <= last for first, last in UNSTEMMED_SCRIPTS):
        return _beginning
    return _same


def stop_words(language: str) -> frozenset[str]:
    from whoosh.lang import NoStopWords, stopwords_for_language

    try:
        return frozenset(stopwords_for_language(language))
    except NoStopWords:
        return frozenset()


@frozen
class Tongue:
    """One language: its stop words, and the terms of its words."""

    code: str
    stops: frozenset[str]
    stem: Stem
    known: dict[str, tuple[str, ...]] = field(factory=dict, eq=False, repr=False)

    def terms(self, word: str) -> tuple[str, ...]:
        """The stems of a word, with its accents and without: people leave them out."""
        found = self.known.get(word)
        if found is None:
            if len(self.known) > MOST_REMEMBERED:
                self.known.clear()
            found = tuple(dict.fromkeys((folded(self.stem(word)), folded(self.stem(folded(word))))))
            self.known[word] = found
        return found


class Tongues:
    """Tells in which languages a text is, of those that Whoosh has stop words for."""

    def __init__(self, default: str, default_stops: Iterable[str]) -> None:
        from whoosh.lang.stopwords import stoplists

        self._own = stop_words(default) | stop_words("en") | frozenset(default_stops)
        self._tongues: dict[str, Tongue] = {}
        lists = {code: set(words) for code, words in stoplists.items()}
        for code, *words in _telling():
            lists[code] = lists.get(code, set()).union(words)
        for code in (default, "en", "ru"):
            lists.pop(code, None)
        self._speakers: Mapping[str, tuple[str, ...]] = _speakers(lists, self._own | LOOK_ALIKES)
        self._telling = frozenset(self._speakers)

    def tongue(self, code: str) -> Tongue:
        found = self._tongues.get(code)
        if found is None:
            found = self._tongues[code] = Tongue(code, stop_words(code), stemmer(code))
        return found

    def is_default(self, text: str) -> bool:
        """Whether a text has stop words of the default language, or of English."""
        return not self._own.isdisjoint(text.lower().split())

    def of(self, text: str) -> tuple[Tongue, ...]:
        """The languages of a text, none where it is in the default one or nothing tells."""
        lower = text.lower()
        words = set(lower.split())
        told = words & self._telling
        if not text.isascii():
            told |= self._telling.intersection(lower)
        if not told:
            return ()
        counts = Counter(code for word in told for code in self._speakers[word])
        most = max(counts.values())
        if most <= len(words & self._own) or (most == 1 and len(words) > SHORT):
            return ()
        return tuple(self.tongue(code) for code in sorted(counts) if counts[code] == most)


def _speakers(
    lists: Mapping[str, Iterable[str]], own: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """For each stop word of two letters at least, and each telling letter, its languages."""
    found: dict[str, tuple[str, ...]] = {}
    for code in sorted(lists):
        for word in lists[code]:
            if (len(word) > 1 or not word.isascii()) and word not in own:
                found[word] = (*found.get(word, ()), code)
    return found


def _telling() -> Iterator[list[str]]:
    text = files(__package__).joinpath("telling.txt").read_text(encoding="utf-8")
    yield from (line.split() for line in text.splitlines() if not line.startswith("#"))


def _same(word: str) -> str:
    return word


def _beginning(word: str) -> str:
    return word[:LETTERS]
