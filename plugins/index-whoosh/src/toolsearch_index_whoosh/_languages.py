"""Words as terms: stop words left out, stems by the language or the script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from ._tongues import Stem, Tongue, Tongues, script_stemmer, stemmer, stop_words
from ._words import tokens, word_parts

# A longer word is no word; stemmers need not see it.
MAX_WORD = 64
MOST_REMEMBERED = 200_000

NO_WORDS: frozenset[str] = frozenset()


class Languages:
    """Turns words into terms, remembering each: the term of a word, or None for a stop word.

    Every text is read in the first language. Those that are told to be in another one are filed
    under that language's stems as well, and requests for them are read in it too.
    """

    def __init__(self, languages: Sequence[str], *, detected: bool = True) -> None:
        first = languages[0] if languages else ""
        self._latin = stemmer(first)
        self._stops = _stop_words(languages)
        self._scripts: dict[str, Stem] = {}
        self._tongues = Tongues(first, self._stops)
        self._detected = detected
        self._terms: dict[str, str | None] = {}
        self._read: dict[str, str | tuple[str, ...]] = {}
        self._spelled: dict[str, str] = {}
        self.phrasing = frozenset(map(self._latin, _listed("phrasing.txt")))

    def told(self, text: str) -> tuple[Tongue, ...]:
        """The languages of a text beside the first one."""
        return self._tongues.of(text) if self._detected else ()

    def of_request(
        self, text: str, told: Sequence[Tongue], known: Sequence[Tongue]
    ) -> Sequence[Tongue]:
        """The languages to read a request in, of those that its tools are known to be in: those it
        is told to be in, and all of them where nothing tells.
        """
        if told:
            return [tongue for tongue in known if tongue in told]
        return known if known and not self._tongues.is_default(text) else ()

    def tongues(self, codes: Iterable[str]) -> tuple[Tongue, ...]:
        return tuple(map(self._tongues.tongue, sorted(codes)))

    def terms(self, text: str, stops: frozenset[str] = NO_WORDS) -> list[str]:
        """The terms of a text in order, stop words left out."""
        terms: list[str] = []
        read = self._read
        for token in tokens(text):
            if stops and token.lower() in stops:
                continue
            found = read.get(token)
            if isinstance(found, str):
                terms.append(found)
            else:
                terms += self._of(token) if found is None else found
        return terms

    def stems(self, text: str, tongues: Iterable[Tongue], stops: frozenset[str]) -> list[str]:
        """What else the words of a text are filed under, by its languages."""
        return [
            stem
            for token in tokens(text)
            if token.lower() not in stops and len(token) <= MAX_WORD
            for stem in self._stems(token, tongues)
        ]

    def asked(
        self, text: str, tongues: Sequence[Tongue], stops: frozenset[str] = NO_WORDS
    ) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """The words of a request: for each its terms, and what else it may be found under."""
        for token in tokens(text):
            if not stops or token.lower() not in stops:
                stems = self._stems(token, tongues) if tongues and len(token) <= MAX_WORD else ()
                yield self._of(token), stems

    def term(self, word: str) -> str | None:
        """The term that a word is indexed under, or None for a stop word."""
        try:
            return self._terms[word]
        except KeyError:
            if len(self._terms) > MOST_REMEMBERED:
                self._terms = {}
                self._spelled = {}
            term = self._terms[word] = self._stemmed(word)
            if term is not None:
                self._spelled.setdefault(term, word)
            return term

    def spelled(self, term: str) -> str:
        """A word that has the term, as it was first met."""
        return self._spelled.get(term, term)

    def known(self, word: str) -> str | None:
        """The term of a word that was met before, in a tool or a query; None for any other."""
        return self._terms.get(word)

    def _of(self, token: str) -> tuple[str, ...]:
        """The terms of a token, remembered: one term by itself, since tuples keep the garbage
        collector busy.
        """
        found = self._read.get(token)
        if found is not None:
            return (found,) if isinstance(found, str) else found
        terms = tuple(term for word in word_parts(token) if (term := self.term(word)) is not None)
        if len(self._read) > MOST_REMEMBERED:
            self._read = {}
        if len(token) <= MAX_WORD:
            self._read[token] = terms[0] if len(terms) == 1 else terms
        return terms

    def _stems(self, token: str, tongues: Iterable[Tongue]) -> list[str]:
        usual = self._of(token)
        words = [word for word in word_parts(token, str.casefold) if word[0].isalpha()]
        found = dict.fromkeys(
            stem
            for tongue in tongues
            for word in words
            if word < "\u0250" and word not in tongue.stops
            for stem in tongue.terms(word)
        )
        return [stem for stem in found if stem not in usual]

    def _stemmed(self, word: str) -> str | None:
        if word in self._stops:
            return None
        if len(word) > MAX_WORD:
            return word[:MAX_WORD]
        if word.isascii():
            return self._latin(word) if len(word) > 2 and word.isalpha() else word
        letter = word[0]
        if letter < "\u0250":
            return self._latin(word)
        stem = self._scripts.get(letter)
        if stem is None:
            stem = self._scripts[letter] = script_stemmer(letter)
        return stem(word)


def all_stops(tongues: Iterable[Tongue]) -> frozenset[str]:
    return NO_WORDS.union(*(tongue.stops for tongue in tongues))


def _stop_words(languages: Iterable[str]) -> frozenset[str]:
    others = (stop_words(language) for language in (*languages, "ru") if language != "en")
    return frozenset(_listed("stop_words.txt")).union(*others)


def _listed(name: str) -> set[str]:
    """The words of a file of the package, without its comments."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {word for line in lines for word in line.split()}
