"""Names in a provider's alphabet: turned back exactly, never two alike."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

DIGEST_DIGITS = 8


def provider_names(names: Sequence[str], chars: str, longest: int) -> dict[str, str]:
    """Each name to the one that the provider is given, the same whatever the order.

    A name that fits stays. In others each run of characters that the provider does not take
    becomes `_`, and one that would not begin with a letter or `_` gets a `_` before it. Where that
    is too long, or what another name became, a digest of the whole name tells them apart.
    """
    wanted = {name: _spelt(name, chars) for name in dict.fromkeys(names)}
    counts = Counter(wanted.values())
    taken = {name for name, spelling in wanted.items() if name == spelling and len(name) <= longest}
    given = {name: name for name in taken}
    for name in sorted(wanted.keys() - taken):
        spelling = wanted[name]
        if len(spelling) > longest or counts[spelling] > 1 or spelling in taken:
            spelling = _told_apart(name, spelling, longest, taken)
        taken.add(spelling)
        given[name] = spelling
    return {name: given[name] for name in wanted}


def _spelt(name: str, chars: str) -> str:
    spelling = re.sub(f"[^{chars}]+", "_", name)
    return spelling if re.match("[A-Za-z_]", spelling) else f"_{spelling}"


def _told_apart(name: str, spelling: str, longest: int, taken: set[str]) -> str:
    """Ends in eight digits of a digest; in those of another where a name has just that end."""
    kept = spelling[: longest - DIGEST_DIGITS - 1].rstrip("_")
    salt = 0
    while True:
        said = f"{name}\0{salt}" if salt else name
        digits = hashlib.sha256(said.encode()).hexdigest()[:DIGEST_DIGITS]
        told = f"{kept or ''}_{digits}"
        if told not in taken:
            return told
        salt += 1
