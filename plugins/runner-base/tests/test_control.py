"""The corpus has teeth: a bridge without discipline fails it."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_many_escapes_get_out_of_a_naive_bridge(corpus, naive, escaping):
    said = [await naive(escaping(body.code)) for body in corpus.bodies("escapes")]
    foreign = sum("foreign" in text or "ESCAPED" in text for text in said)
    out = sum("ESCAPED" in text for text in said)
    assert foreign >= 25, foreign
    assert out >= 20, out


async def test_most_of_the_outside_is_reached_from_a_naive_bridge(
    engine, corpus, naive, reaching, world
):
    reached = []
    for body in corpus.reach(engine):
        said = await naive(reaching(body.code))
        if said and json.loads(said).get("value") is not None:
            reached.append(body.name)
        world.restore()
    assert len(reached) >= 30, reached
