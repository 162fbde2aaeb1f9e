"""Names as a person compares them: without case, without invisible characters."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """The form in which two spellings of one name are equal: NFKC, no case, nothing invisible."""
    if text.isascii():
        return text.lower()
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
    caseless = unicodedata.normalize("NFKC", visible).casefold()
    return unicodedata.normalize("NFKC", caseless)
