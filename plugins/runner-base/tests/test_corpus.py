"""Every body of the corpus, beside a harmless one that must not notice."""

from __future__ import annotations

import asyncio
import json

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def beside(runner, toolbox, limits_of):
    """Runs a body and, at the same time, a harmless one."""

    async def run(code: str, **bounds: int):
        harmless = "return (await openclaw.tools.call('echo', 'all is well')).result"
        outcome, other = await asyncio.gather(
            runner.run(code, toolbox(), limits_of(**bounds)),
            runner.run(harmless, toolbox(), limits_of()),
        )
        assert other.ok, other
        assert other.value == "all is well"
        return outcome

    return run


def everything(outcome) -> str:
    return outcome.model_dump_json()


async def test_no_body_gets_hold_of_a_value_of_another_realm(
    runtime, escape, beside, world, escaping
):
    outcome = await beside(escaping(escape.code))
    assert outcome.outcome in {"ok", "exception", "syntax", "deadlock"}
    said = everything(outcome)
    assert "ESCAPED" not in said
    assert "foreign" not in said
    if outcome.ok and isinstance(outcome.value, dict):
        assert outcome.value.get("found") == []
    assert world.untouched()


async def test_no_body_reaches_anything_outside(runtime, reach, beside, world, reaching):
    outcome = await beside(reaching(reach.code))
    assert outcome.outcome in {"exception", "syntax"}
    assert world.secret not in everything(outcome)
    assert world.untouched()


async def test_no_body_outlasts_or_outgrows_its_bounds(runtime, resource, beside):
    expected = set(resource.expected.split())
    short = {"timeout_ms": 1_000} if "timeout" in expected else {}
    outcome = await beside(resource.code, **short)
    if "memory" in expected and short == {}:
        expected.add("timeout")  # a machine that is too busy to grow
    assert outcome.outcome in expected
    assert len(everything(outcome)) < 400_000
    if not outcome.ok:
        assert outcome.error.message


async def test_harmless_bodies_keep_working(runtime, harmless, runner, toolbox, limits_of):
    outcome = await runner.run(harmless.code, toolbox(), limits_of())
    assert outcome.ok, outcome
    assert outcome.value == json.loads(harmless.expected)


@pytest.mark.parametrize("seed", [11, 47])
async def test_no_function_of_the_realm_gives_a_value_of_another(
    runtime, seed, runner, toolbox, limits_of, escaping, corpus
):
    fuzz = corpus.text("_fuzz.js").replace("SEED", str(seed)).replace("MILLIS", "2500")
    outcome = await runner.run(escaping(fuzz), toolbox(), limits_of(timeout_ms=60_000))
    assert outcome.ok, outcome
    assert outcome.value["found"] == []
    assert outcome.value["functions"] > 400
    assert outcome.value["n"] > 10_000


async def test_the_same_calls_find_the_other_realm_where_stacks_are_captured(
    naive, escaping, corpus
):
    fuzz = corpus.text("_fuzz.js").replace("SEED", "77").replace("MILLIS", "4000")
    assert "ESCAPED" in await naive(escaping(fuzz))
