"""Stop words and stems, by the script of a word or the configured language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files

from ._words import tokens, word_parts

# A longer word is no word; stemmers need not see it.
MAX_WORD = 64
MOST_REMEMBERED = 200_000


class Languages:
    """Turns words into terms, remembering each: the term of a word, or None for a stop word."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._latin = _stemmer(languages[0]) if languages else _same
        self._stops = _stop_words(languages)
        self._russian: Callable[[str], str] | None = None
        self._terms: dict[str, str | None] = {}
        self._read: dict[str, str | tuple[str, ...]] = {}
        self._spelled: dict[str, str] = {}
        self.phrasing = frozenset(map(self._latin, _listed("phrasing.txt")))

    def terms(self, text: str) -> list[str]:
        """The terms of a text in order, stop words left out."""
        terms: list[str] = []
        read = self._read
        for token in tokens(text):
            found = read.get(token)
            if found is None:
                found = self._remember(token)
            if isinstance(found, str):
                terms.append(found)
            else:
                terms += found
        return terms

    def _remember(self, token: str) -> str | tuple[str, ...]:
        """The term of a token, or its terms where there are several or none."""
        if len(self._read) > MOST_REMEMBERED:
            self._read = {}
        terms = tuple(term for word in word_parts(token) if (term := self.term(word)) is not None)
        found = terms[0] if len(terms) == 1 else terms
        if len(token) <= MAX_WORD:
            self._read[token] = found
        return found

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

    def _stemmed(self, word: str) -> str | None:
        if word in self._stops:
            return None
        if len(word) > MAX_WORD:
            return word[:MAX_WORD]
        if word.isascii():
            return self._latin(word) if len(word) > 2 and word.isalpha() else word
        match word[0]:
            case letter if "\u0400" <= letter <= "\u04ff":
                if self._russian is None:
                    self._russian = _stemmer("ru")
                return self._russian(word) or word
            case letter if letter < "\u0250":
                return self._latin(word) or word
            case _:
                return word


def _same(word: str) -> str:
    return word


def _stemmer(language: str) -> Callable[[str], str]:
    from whoosh.lang import NoStemmer, stemmer_for_language

    try:
        # Porter's own stemmer for English is several times faster than his second one, and
        # finds as much.
        stem: Callable[[str], str] = stemmer_for_language(
            "en_porter" if language == "en" else language
        )
    except NoStemmer:
        return _same
    return stem


def _stop_words(languages: Sequence[str]) -> frozenset[str]:
    from whoosh.lang import NoStopWords, stopwords_for_language

    found = _listed("stop_words.txt")
    for language in (*languages, "ru"):
        if language == "en":
            continue
        try:
            found.update(stopwords_for_language(language))
        except NoStopWords:
            continue
    return frozenset(found)


def _listed(name: str) -> set[str]:
    """The words of a file of the package, without its comments."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {word for line in lines for word in line.split()}
