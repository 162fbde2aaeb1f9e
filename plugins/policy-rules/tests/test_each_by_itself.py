"""A tool is judged by itself: what else is in the catalog changes nothing."""

from __future__ import annotations

import random

import pytest

from .rules_of import Rules, tool

HINTS = ({}, {"read_only": True}, {"destructive": False}, {"open_world": False})
TOOLS = [
    tool(f"{owner}:{name}", trusted=trusted, hints=hints, **({"groups": ("fs",)} if grouped else {}))
    for owner, trusted in (("mcp:github", False), ("mcp:files", True), ("plugin:base64", True))
    for name in ("read_file", "delete_file", "search", "encode")
    for hints, grouped in ((HINTS[len(name) % 4], name.endswith("file")),)
]  # fmt: skip
ENTRIES = [
    "*", "read_*", "search", "mcp:github", "mcp:*:search", "mcp:files:read_file", "group:fs",
    "hint:readOnly", "hint:destructive", "plugin:base64", "encode", "nothing_of_the_kind",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_a_tool_is_judged_alone_as_among_the_others(seed):
    chance = random.Random(seed)

    def lists():
        keys = chance.sample(["allow", "deny", "ask"], chance.randint(1, 3))
        return {key: chance.sample(ENTRIES, chance.randint(1, 4)) for key in keys}

    rules = Rules({"tools": lists(), "agents": {"clerk": lists()}, "profiles": {"p": lists()}})
    whole = rules.answer(TOOLS, agent="clerk", profile="p")
    for one in TOOLS:
        alone = rules.word(one, agent="clerk", profile="p")
        denied, asks = one.id in whole.denied, one.id in whole.asks
        assert alone == ("deny" if denied else "ask" if asks else "allow"), one.id
