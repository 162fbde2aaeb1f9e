"""Text that a server wrote, without what could act on a terminal or hide from a reader."""

from __future__ import annotations

import unicodedata
from functools import cache

_KEPT_CONTROLS = frozenset("\n\t")
_BIDI_AND_INVISIBLE = (
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0x00AD,
    0x061C,
    0x180E,
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
)


@cache
def _removed() -> dict[int, None]:
    controls = [
        code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _KEPT_CONTROLS
    ]
    return dict.fromkeys((*controls, *_BIDI_AND_INVISIBLE))


def clean(text: str, limit: int | None = None) -> str:
    """`text` in composed form without control, bidi, zero-width and tag characters.

    Line ends and tabs stay. Over `limit` characters it is cut, and the cut is said.
    """
    cleaned = unicodedata.normalize("NFC", text).translate(_removed())
    if limit is not None and len(cleaned) > limit:
        return f"{cleaned[:limit]}… ({len(cleaned) - limit} characters more)"
    return cleaned


def is_plain(name: str) -> bool:
    """Whether a name holds nothing that `clean` would take out."""
    return name.translate(_removed()) == name and not set(name) & _KEPT_CONTROLS
