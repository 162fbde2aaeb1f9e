"""Cuts text into words: identifiers split, every script kept, n-grams where no spaces stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

# Vowel signs and other marks are no letters to `re`, though words go on across them. Whole blocks
# of the scripts that write with them count as letters, without their punctuation.
_MARKED = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963"
    "\u0966-\u0dff\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0ede\u0f18-\u0f39\u0f3e-\u0f84"
    "\u0f86-\u0fbc\u1000-\u1049\u1050-\u109f\u1712-\u1734\u1780-\u17d3\u17e0-\u17e9\u1b00-\u1b59"
)
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKED}])+")
# Where an identifier changes from one word to the next: `getUser`, `HTTPServer`.
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGITS = re.compile(r"\d+|[^\d]+")
# Scripts written without spaces, and Hangul, whose particles stick to their words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\uac00-\ud7af\u1100-\u11ff\U00020000-\U0003ffff々ー]+"
)
_COMBINING = re.compile("[\u0300-\u036f]")


def tokens(text: str) -> list[str]:
    """The unbroken runs of letters and digits of a text, whatever the text holds."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text)


def words(text: str) -> Iterator[str]:
    """The words of a text, lower-cased, in order."""
    for token in tokens(text):
        yield from word_parts(token)


def word_parts(token: str, cased: Callable[[str], str] | None = None) -> Iterator[str]:
    """The words that one unbroken token holds.

    `getUserByEmail` gives its four words; `GitHub` gives `github` beside `git` and `hub`, since
    people write such names in one; `sha256` gives `sha256` beside `sha`. Words are `folded` unless
    another way is given.
    """
    if not token.isascii():
        yield from _unicode_parts(token, cased or folded)
        return
    humps = _HUMP.split(token)
    if len(humps) == 2:
        yield token.lower()
    for hump in humps:
        word = hump.lower()
        if not word.isalpha():
            pieces = _DIGITS.findall(word)
            if len(pieces) > 1:
                yield word
                yield from (piece for piece in pieces if piece.isalpha() and len(piece) > 1)
                continue
        yield word


def _unicode_parts(token: str, cased: Callable[[str], str]) -> Iterator[str]:
    position = 0
    for match in _UNSPACED.finditer(token):
        if match.start() > position:
            yield cased(token[position : match.start()])
        yield from bigrams(match.group())
        position = match.end()
    if position < len(token):
        yield cased(token[position:])


def bigrams(run: str) -> Iterator[str]:
    """Two-letter pieces of a run without spaces; a lone letter stands for itself."""
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def is_piece(term: str) -> bool:
    """Whether a term is a piece of a text without spaces, rather than a word."""
    return not term.isascii() and _UNSPACED.fullmatch(term) is not None


def folded(word: str) -> str:
    """Lower case; accents taken off Latin letters only, since elsewhere they make the letter."""
    word = word.casefold()
    if "a" <= word[0] <= "z" or "\u00c0" <= word[0] <= "\u024f":
        word = _COMBINING.sub("", unicodedata.normalize("NFD", word))
    return word
