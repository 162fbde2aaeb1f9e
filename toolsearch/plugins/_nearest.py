"""What a message says of a name that is not known, and how it ends."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """`; did you mean 'x'?`, or nothing where no name is near. A `prefix` that all known names
    begin with makes none of them near.
    """
    plain = sorted(each.removeprefix(prefix) for each in known)
    close = difflib.get_close_matches(name.removeprefix(prefix), plain, n=1)
    return f"; did you mean {prefix + close[0]!r}?" if close else ""


def sentences(cause: str, cure: str | None) -> str:
    """Cause and cure as sentences of one message."""
    end = "" if cause.endswith(("?", ".", "!")) else "."
    if not cure:
        return f"{cause}{end}"
    stop = "" if cure.endswith(("?", ".", "!")) else "."
    return f"{cause}{end} {cure[:1].upper()}{cure[1:]}{stop}"
