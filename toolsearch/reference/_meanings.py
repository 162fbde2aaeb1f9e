"""What each setting means, in a sentence."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

ENTRY = "<name>"
RULES = frozenset({"allow", "deny", "ask"})


@cache
def meanings() -> Mapping[str, str]:
    """The sentences by key, as `settings.toml` has them."""
    return tomllib.loads(files(__package__).joinpath("settings.toml").read_text("utf-8"))


def meaning_of(key: str) -> str:
    """What a setting of ours means; nothing for one that is not known here."""
    known = meanings()
    if key in known:
        return known[key]
    first, _, rest = key.partition(".")
    inner = rest.removeprefix(f"{ENTRY}.")
    if inner in RULES:
        return known[f"<level>.{inner}"]
    return known.get(f"tools.{inner}", "") if first in {"agents", "providers"} else ""
