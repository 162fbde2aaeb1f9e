"""One line of bounded length, cut where a reader sees a boundary."""

from __future__ import annotations

import unicodedata

from ._clean import ZWJ, clean

ELLIPSIS = "…"
_VIRAMA = 9  # the combining class of the marks that join two consonants into one sign
_BEFORE_ITS_LETTER = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u0d4e")
_LONGEST_CLUSTER = 64  # code points; a longer pile of marks is cut through


def one_line(text: str, limit: int) -> str:
    """The text, cleaned, as one line of at most `limit` characters, with `…` where it was cut."""
    if len(text) > 16 * limit + 1024:
        text = text[: 16 * limit + 1024]
    line = " ".join(clean(text).split())
    if len(line) <= limit:
        return line
    if limit <= 0:
        return ""
    return line[: cut(line, limit - 1)].rstrip() + ELLIPSIS


def cut(text: str, at: int) -> int:
    """The last index that is at most `at` and does not split what a reader sees as one character.

    Follows the extended grapheme clusters of UAX 29 as far as `unicodedata` tells them. A cluster
    of more than 64 code points is split: the bound matters more than the pile of marks.
    """
    if at >= len(text):
        return len(text)
    for index in range(at, max(at - _LONGEST_CLUSTER, 0), -1):
        if _is_boundary(text, index):
            return index
    return at if at > _LONGEST_CLUSTER else 0


def _is_boundary(text: str, index: int) -> bool:
    before, after = text[index - 1], text[index]
    if before == "\r" and after == "\n":
        return False
    if after.isascii() and before.isascii():
        return True
    if after == ZWJ or _extends(after):
        return False
    if before in _BEFORE_ITS_LETTER or unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after)[0] not in "LNM"
    if before == ZWJ:
        return unicodedata.category(after) not in {"So", "Sk"}
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, index) % 2 == 0
    return not _is_one_syllable(before, after)


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in {"Mn", "Me", "Mc"}
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or char in "\u200c\u0e33\u0eb3\uff9e\uff9f"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, index: int) -> int:
    start = index
    while start and _is_flag_half(text[start - 1]):
        start -= 1
    return index - start


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two Hangul letters belong to one syllable (UAX 29 GB6 to GB8)."""
    match _hangul(before), _hangul(after):
        case ("L", "L" | "V" | "LV" | "LVT") | ("LV" | "V", "V" | "T") | ("LVT" | "T", "T"):
            return True
        case _:
            return False


def _hangul(char: str) -> str:
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    return ""
