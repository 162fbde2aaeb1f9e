"""Secrets taken out of what is logged or exported, and the rest made fit for JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MARK = "[redacted]"
CUT = "[cut]"
DEEPEST = 64
MOST_CHARS = 65_536
"""How many characters of one value are kept; what is beyond them is not even looked at."""

SHORTEST_SECRET = 8
SHORTEST_SHAPE = 14  # of what SHAPES and SCHEME find

HARMLESS_CHARS = 64
HARMLESS_KEPT = 2_048
"""Names and ids come again and again: so many short texts that held no secret are known again."""

SENSITIVE = (
    r"api[-_]?key|access[-_]?key|auth|authorization|client[-_]?secret|cookie|credential|pass|"
    r"passphrase|passwd|password|private[-_]?key|pwd|secret|session[-_]?key|token"
)
SECRET_KEY = re.compile(rf"(?:^|[^a-z])(?:{SENSITIVE})s?(?:$|[^a-z])")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

SHAPES = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\b(?:sk|pk|rk)[-_][\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}|\bAIza[\w-]{30,}"
    r"|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
)
SCHEME = re.compile(r"\b(bearer|basic)\s{1,4}[\w.~+/=-]{8,}", re.IGNORECASE)
IN_URL = re.compile(r"(?<=://)[^\s/@:]{1,256}:[^\s/@]{1,256}(?=@)")
ASSIGNED = re.compile(
    rf"(?P<key>(?:{SENSITIVE})s?[\"']?\s{{0,4}}[:=]\s{{0,4}})"
    r"(?P<value>\"[^\"\n]*\"?|'[^'\n]*'?|[^\s\"',;&)}\]]+)",
    re.IGNORECASE,
)


class Redactor:
    """Redacts by the names of keys, by the shapes of known secrets, and by secrets it was told."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({s for s in secrets if len(s) >= SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None
        self._harmless: set[str] = set()

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Redactor:
        """One that knows the values of variables with the name of a secret."""
        return cls(value for name, value in environ.items() if is_secret(name))

    def clean(self, value: Any) -> Any:
        """The value without secrets, bounded, of nothing but JSON's types."""
        return _Cleaning(self).clean(value)

    def text(self, text: str) -> str:
        """The text without secrets."""
        if text in self._harmless:
            return text
        cleaned = self._redacted(text)
        if cleaned == text and len(text) <= HARMLESS_CHARS:
            if len(self._harmless) >= HARMLESS_KEPT:
                self._harmless.clear()
            self._harmless.add(text)
        return cleaned

    def _redacted(self, text: str) -> str:
        """Each pattern is tried only where what it cannot do without is there."""
        if self._known is not None and len(text) >= SHORTEST_SECRET:
            text = self._known.sub(MARK, text)
        if len(text) >= SHORTEST_SHAPE:
            text = SHAPES.sub(MARK, text)
            text = SCHEME.sub(rf"\1 {MARK}", text)
        if "://" in text:
            text = IN_URL.sub(MARK, text)
        if ":" in text or "=" in text:
            text = ASSIGNED.sub(_assigned, text)
        return text


@dataclass(slots=True)
class _Cleaning:
    """One value on its way, and how many characters of it may still come."""

    redactor: Redactor
    left: int = MOST_CHARS

    def clean(self, value: Any, depth: int = 0) -> Any:
        if self.left <= 0 or depth > DEEPEST:
            return CUT
        self.left -= 8
        match value:
            case str():
                return self._text(value)
            case None | bool() | int():
                return value
            case float():
                return value if math.isfinite(value) else str(value)
            case Mapping():
                return self._object(value, depth)
            case list() | tuple() | set() | frozenset():
                return self._array(value, depth)
            case _:
                return self._text(str(value))

    def _object(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        cleaned: dict[str, Any] = {}
        for key, inner in value.items():
            if self.left <= 0:
                return cleaned | {CUT: len(value) - len(cleaned)}
            name = self._text(str(key))
            cleaned[name] = MARK if _hides(str(key), inner) else self.clean(inner, depth + 1)
        return cleaned

    def _array(self, value: Iterable[Any], depth: int) -> list[Any]:
        cleaned: list[Any] = []
        for inner in value:
            if self.left <= 0:
                return [*cleaned, CUT]
            cleaned.append(self.clean(inner, depth + 1))
        return cleaned

    def _text(self, text: str) -> str:
        """What is cut ends at a space, so that half a secret is not left without its shape."""
        kept = text[: self.left]
        self.left -= len(text)
        if len(kept) == len(text):
            return self.redactor.text(text)
        whole, _, _ = kept.rpartition(" ")
        return self.redactor.text(whole) + CUT


def is_secret(key: str) -> bool:
    """Whether a key is named like a secret: `token`, `apiKey`, `DB_PASSWORD`, `Set-Cookie`."""
    return _short_is_secret(key) if len(key) <= HARMLESS_CHARS else _is_secret(key)


@lru_cache(maxsize=HARMLESS_KEPT)
def _short_is_secret(key: str) -> bool:
    return _is_secret(key)


def _is_secret(key: str) -> bool:
    return SECRET_KEY.search(CAMEL.sub("_", key).lower()) is not None


def _hides(key: str, value: Any) -> bool:
    """Whether the value under a key is hidden; `maxTokens: 100` is a number of tokens."""
    match value:
        case None | bool():
            return False
        case int() | float() if key.lower().endswith("tokens"):
            return False
        case _:
            return is_secret(key)


def _assigned(found: re.Match[str]) -> str:
    value = found["value"]
    quote = value[0] if value[0] in "\"'" else ""
    return f"{found['key']}{quote}{MARK}{quote}"
