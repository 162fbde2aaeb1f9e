"""Which texts of a configuration are secrets, so that no message and no listing shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

MASK = "***"
SHORTEST = 4

_SECRETIVE = re.compile(
    r"token|secret|passw|passphrase|api[-_]?key|auth(?!or)|credential|private[-_]?key|cookie",
    re.IGNORECASE,
)
_ENVELOPES = frozenset({"env", "headers"})
_REFERENCE = re.compile(r"(?:(?:Bearer|Basic|token) )?\$\{(?:env:)?\w+\}", re.IGNORECASE)
_FLAG_VALUE = re.compile(r"(?P<flag>--?[\w-]+=)(?P<value>.+)", re.DOTALL)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_PARAMETER = re.compile(r"(?P<name>[?&][\w.-]+=)(?P<value>[^&#\s]+)")


def masked(value: Any) -> Any:
    """A copy of a configuration value in which secrets are `***`; references stay (`${TOKEN}`).

    Taken for secrets: the values of `env` and `headers`, texts under a key that speaks of one
    (`apiKey`, `token`, ...), values of command-line flags so named, passwords in addresses.
    """
    return _Mask().value(value, secret=False)


def secrets_in(value: Any) -> frozenset[str]:
    """The texts that `masked` would hide, except those too short to be told from other words."""
    mask = _Mask()
    mask.value(value, secret=False)
    return frozenset(found for found in mask.found if len(found) >= SHORTEST)


def redacted(message: str, secrets: frozenset[str]) -> str:
    """The message without the secrets, longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        message = message.replace(secret, MASK)
    return message


class _Mask:
    def __init__(self) -> None:
        self.found: list[str] = []

    def hide(self, text: str) -> str:
        if not text or _REFERENCE.fullmatch(text):
            return text
        self.found.append(text)
        return MASK

    def value(self, value: Any, *, secret: bool) -> Any:
        match value:
            case str():
                return self.hide(value) if secret else self.text(value)
            case Mapping():
                return {
                    key: self.value(
                        inner,
                        secret=secret or key in _ENVELOPES or bool(_SECRETIVE.search(str(key))),
                    )
                    for key, inner in value.items()
                }
            case Sequence() if not isinstance(value, bytes):
                return self.items(value, secret=secret)
            case _:
                return value

    def items(self, items: Sequence[Any], *, secret: bool) -> list[Any]:
        shown: list[Any] = []
        behind_flag = False
        for item in items:
            shown.append(self.value(item, secret=secret or behind_flag))
            flag = isinstance(item, str) and item.startswith("-") and "=" not in item
            behind_flag = flag and bool(_SECRETIVE.search(item))
        return shown

    def text(self, text: str) -> str:
        flag = _FLAG_VALUE.fullmatch(text)
        if flag and _SECRETIVE.search(flag["flag"]):
            return flag["flag"] + self.hide(flag["value"])
        if "://" not in text:
            return text
        text = _USERINFO.sub(lambda found: self.hide(found.group()), text)
        return _PARAMETER.sub(self.parameter, text)

    def parameter(self, found: re.Match[str]) -> str:
        if not _SECRETIVE.search(found["name"]):
            return found.group()
        return found["name"] + self.hide(found["value"])
