"""Invisible and commanding characters taken out of text."""

from __future__ import annotations

import re
import unicodedata

ZWNJ, ZWJ = "\u200c", "\u200d"
_EMOJI_STYLE = "\ufe0f"

_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: cursor, colour, erase
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, …
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff]"
)
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_DOUBTFUL = re.compile(f"[{ZWNJ}{ZWJ}{_SELECTORS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text in NFC, without anything that is not seen but acts.

    Taken out: terminal escape sequences, control characters (tab and newline stay; every other
    line break becomes a newline), bidirectional controls, zero-width and tag characters, and
    variation selectors where they could carry hidden bytes. Joiners stay where a script or an
    emoji needs them. A lone surrogate becomes U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ESCAPE_SEQUENCE.sub("", text)
    text = _LINE_BREAK.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _SURROGATE.sub("\ufffd", text)
    if _DOUBTFUL.search(text):
        text = _without_idle_joiners(text)
    return unicodedata.normalize("NFC", text)


def _without_idle_joiners(text: str) -> str:
    kept: list[str] = []
    for index, char in enumerate(text):
        before = kept[-1] if kept else ""
        after = text[index + 1] if index + 1 < len(text) else ""
        if not _DOUBTFUL.match(char) or _is_needed(char, before, after):
            kept.append(char)
    return "".join(kept)


def _is_needed(char: str, before: str, after: str) -> bool:
    """Whether a joiner or variation selector does visible work between its neighbours."""
    if not before:
        return False
    match char:
        case "\u200d" if _is_pictograph(after):
            return _is_pictograph(before) or before == _EMOJI_STYLE or _is_skin_tone(before)
        case "\u200c" | "\u200d":
            return _joins(before) and (_joins(after) or not after.strip())
        case _ if char >= "\U000e0100":
            return _is_ideograph(before)
        case _:
            return _is_pictograph(before) or _is_ideograph(before) or before in "#*0123456789"


def _is_pictograph(char: str) -> bool:
    return bool(char) and (
        "\U0001f000" <= char <= "\U0001faff"
        or "\u2190" <= char <= "\u2bff"
        or char in "\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299"
    )


def _is_skin_tone(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff"


def _joins(char: str) -> bool:
    """Whether the character is of a script whose letters change by joining (Arabic to Khmer)."""
    return bool(char) and (
        ("\u0600" <= char <= "\u17ff" or "\ufb50" <= char <= "\ufeff")
        and unicodedata.category(char)[0] in "LM"
    )
