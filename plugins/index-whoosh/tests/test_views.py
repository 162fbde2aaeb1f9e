"""With numpy or without, the answers are the same to the last bit."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("numpy")

VERBS = [
    "create",
    "delete",
    "list",
    "find",
    "update",
    "send",
    "read",
    "write",
    "open",
    "convert",
    "translate",
]
THINGS = [
    "file",
    "page",
    "message",
    "issue",
    "calendar",
    "event",
    "image",
    "song",
    "invoice",
    "weather",
    "route",
    "user",
]


async def test_both_ways_of_scoring_give_the_same_hits_and_scores(catalog_with, tool):
    chance = random.Random(7)
    tools = [
        tool(
            f"{chance.choice(VERBS)}_{chance.choice(THINGS)}_{number}",
            " ".join(chance.choices(VERBS + THINGS, k=chance.randrange(3, 40))),
            owner=chance.choice(["alpha", "beta", "gamma"]),
        )
        for number in range(400)
    ]
    fast, plain = catalog_with(acceleration="auto"), catalog_with(acceleration="off")
    for one in (fast, plain):
        await one.add(*tools[:150])
        await one.add(*tools[150:])
        await one.remove(*tools[100:200])
    for _ in range(60):
        text = " ".join(chance.choices([*VERBS, *THINGS, "umbrella", "and", ","], k=9))
        required = tuple(chance.choices(THINGS, k=chance.randrange(2)))
        asked = {"required": required, "limit": chance.choice([1, 5, 50])}
        assert await fast.hits(text, **asked) == await plain.hits(text, **asked)
        assert await fast.hits(text, among=tools[:60]) == await plain.hits(text, among=tools[:60])
