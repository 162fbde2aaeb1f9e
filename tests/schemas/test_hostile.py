"""No schema and no value keeps a host busy."""

import asyncio
import contextlib

import pytest

from toolsearch.schemas import SchemaProblem, Validator
from toolsearch.schemas._backtracking import effort
from toolsearch.schemas._cost import evaluations
from toolsearch.schemas._engine import Engine
from toolsearch.schemas._validator import BRIEF, ORDINARY
from toolsearch_hookspecs import Limits

LIMITS = Limits()
EVIL = "^(a+)+$"


@pytest.fixture(params=[True, False], ids=["jsonschema-rs", "jsonschema"])
def engine(request):
    if request.param:
        pytest.importorskip("jsonschema_rs")
    return Engine(fast=request.param)


def judged(engine, schema, value):
    return Validator.compile(schema, LIMITS, root="any", engine=engine).validate(value)


def tower(levels, keyword, leaf):
    """Each level asks the next one twice."""
    rungs = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": rungs | {f"d{levels}": leaf}}


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "oneOf"])
def test_an_exponential_tower_is_given_up(engine, keyword):
    with pytest.raises(SchemaProblem, match="too complex"):
        judged(engine, tower(25, keyword, {"type": "integer" if keyword != "anyOf" else "null"}), 5)


def test_a_tower_of_conditions_is_given_up(engine):
    rungs = {
        f"d{level}": {word: {"$ref": f"#/$defs/d{level + 1}"} for word in ("if", "then", "else")}
        for level in range(25)
    }
    with pytest.raises(SchemaProblem, match="too complex"):
        judged(engine, {"$ref": "#/$defs/d0", "$defs": rungs | {"d25": {}}}, {})


def test_a_schema_that_grows_with_the_depth_of_the_value_is_given_up(engine):
    node = {"allOf": [{"properties": {"c": {"$ref": "#/$defs/n"}}}] * 2}
    value = {}
    for _ in range(60):
        value = {"c": value}
    with pytest.raises(SchemaProblem, match="too complex"):
        judged(engine, {"$ref": "#/$defs/n", "$defs": {"n": node}}, value)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"type": "string"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]},
    ],
)
def test_a_schema_that_refers_to_itself_without_an_end_is_refused(engine, schema):
    with pytest.raises(SchemaProblem, match="refers to itself"):
        judged(engine, schema, 5)


@pytest.mark.parametrize(
    "schema",
    [
        {"$id": "http://x/", "properties": {"a": {"$id": "/y", "$ref": "#/properties"}}},
        {"$defs": {"a": {"$id": "urn:a", "type": "string"}}, "$ref": "#/$defs/a"},
    ],
)
def test_references_beside_parts_of_their_own_identity_are_refused(engine, schema):
    with pytest.raises(SchemaProblem, match="parts with an `\\$id`"):
        judged(engine, schema, {})


def test_a_chain_of_thousands_of_references_is_refused(engine):
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(4000)} | {"d4000": {}}
    with pytest.raises(SchemaProblem, match="refers to itself"):
        judged(engine, {"$ref": "#/$defs/d0", "$defs": chain}, 5)


def test_a_value_deeper_than_the_stack_is_refused(engine):
    with pytest.raises(SchemaProblem, match="nested deeper"):
        judged(engine, {"items": {"$ref": "#"}}, nested(100_000))


def test_a_value_of_ordinary_depth_is_judged_by_a_recursive_schema(engine):
    assert judged(engine, {"type": "array", "items": {"$ref": "#"}}, nested(80)) == []


def within(frames, call):
    """Call it with so many frames more on the stack."""
    return call() if frames == 0 else within(frames - 1, call)


@pytest.mark.parametrize(
    "around",
    [
        lambda inner: inner,
        lambda inner: {"allOf": [inner]},
        lambda inner: {"anyOf": [{"type": "null"}, inner]},
        lambda inner: {"oneOf": [{"type": "null"}, inner, {"type": "string"}]},
        lambda inner: {"not": {"not": inner}},
        lambda inner: {"if": inner, "then": True, "else": False},
        lambda inner: {"unevaluatedProperties": False, "allOf": [inner]},
        lambda inner: {"type": "array", "contains": inner},
        lambda inner: {"dependentSchemas": {"c": inner}},
    ],
)
def test_the_stack_never_runs_out_however_deep_the_caller_is(engine, around):
    """Out of stack, the Rust part of jsonschema panics: no `Exception`, and nobody catches it."""
    schema = around({"properties": {"c": {"$ref": "#"}}, "items": {"$ref": "#"}})
    value = {} if "contains" not in schema else [1]
    for _ in range(120):
        value = {"c": value} if isinstance(value, dict) else [value]
    validator = Validator.compile(schema, LIMITS, root="any", engine=engine)
    with pytest.raises(SchemaProblem, match=r"nested too deeply|too complex"):
        within(600, lambda: validator.validate(value))
    for frames in range(0, 800, 40):
        with contextlib.suppress(SchemaProblem):
            within(frames, lambda: validator.validate(value))


@pytest.mark.parametrize("frames", [0, 300, 600])
def test_an_ordinary_value_is_judged_however_deep_the_caller_is(engine, frames):
    schema = {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
    assert within(frames, lambda: judged(engine, schema, {"a": None})) == []


def test_a_value_of_too_many_parts_is_refused(engine):
    with pytest.raises(SchemaProblem, match="more than"):
        judged(engine, {}, [0] * 600_000)


@pytest.mark.parametrize("pattern", [EVIL, "^" + "a?" * 30 + "a" * 30 + "$", "(.*)*x", "(a|a)*b"])
def test_a_catastrophic_pattern_is_matched_in_linear_time_or_not_at_all(engine, pattern):
    validator = Validator.compile({"pattern": pattern}, LIMITS, root="any", engine=engine)
    found = validator.validate("a" * 30 + "!")
    assert bool(found) is engine.fast
    assert bool(validator.notes) is not engine.fast


@pytest.mark.parametrize("pattern", [r"^(?=(a+)+$)b", r"^(a*)\1\1b$"])
def test_a_pattern_that_needs_backtracking_stops_at_a_limit(engine, pattern):
    found = judged(engine, {"pattern": pattern}, "a" * 50_000)
    assert bool(found) is engine.fast


def test_a_polynomial_pattern_is_not_tried_on_a_text_that_makes_it_slow():
    engine = Engine(fast=False)
    assert judged(engine, {"pattern": "^a*a*a*b"}, "a" * 100_000) == []
    assert judged(engine, {"pattern": "^a*a*a*b"}, "a" * 10) != []


def test_patterns_of_names_are_bounded_in_the_same_way(engine):
    schema = {"patternProperties": {EVIL: {"type": "string"}}, "additionalProperties": False}
    found = judged(engine, schema, {"a" * 3000 + "!": 1})
    assert bool(found) is engine.fast


def test_comparing_every_item_with_every_choice_is_given_up(engine):
    schema = {"items": {"enum": [f"choice{number}" for number in range(10_000)]}}
    with pytest.raises(SchemaProblem, match="too complex"):
        judged(engine, schema, ["choice9999"] * 40_000)


def test_a_long_array_of_different_items_is_judged(engine):
    items = [{"a": number} for number in range(10_000)]
    assert judged(engine, {"uniqueItems": True}, items) == []
    assert judged(engine, {"uniqueItems": True}, [*items, {"a": 7.0}]) != []
    assert judged(engine, {"uniqueItems": True}, [1, True, "1", [1], {"a": 1}]) == []


def test_thousands_of_failed_branches_do_not_copy_the_value(engine):
    schema = {"anyOf": [{"type": "string"} for _ in range(5000)]}
    (found,) = judged(engine, schema, {f"k{number}": "x" * 100 for number in range(5000)})
    assert found.message == "fits none of the allowed forms"


async def test_the_loop_goes_on_while_a_hard_schema_is_checked(engine, monkeypatch):
    monkeypatch.setattr("toolsearch.schemas._validator.PATIENT", 2 * BRIEF)
    steps = 0

    async def count():
        nonlocal steps
        while True:
            steps += 1
            await asyncio.sleep(0)

    hard = tower(25, "allOf", {"type": "integer"})
    counting = asyncio.create_task(count())
    with pytest.raises(SchemaProblem):
        await Validator.compile(hard, LIMITS, root="any", engine=engine).check(5)
    counting.cancel()
    assert steps > 1


async def test_what_is_too_much_for_the_loop_is_checked_in_a_thread():
    validator = Validator.compile(
        {"items": {"type": "integer", "minimum": 0}}, LIMITS, root="any", engine=Engine(fast=False)
    )
    value = list(range(ORDINARY))
    with pytest.raises(SchemaProblem):
        validator.validate(value)
    assert await validator.check(value) == []
    assert [each.path for each in await validator.check([*value, -1])] == [f"[{ORDINARY}]"]


async def test_words_are_found_with_patience_where_the_verdict_came_at_once(engine):
    validator = Validator.compile(
        {"items": {"type": "integer", "minimum": 0}}, LIMITS, root="any", engine=engine
    )
    value = [*range(BRIEF), -1]
    assert [each.path for each in await validator.check(value)] == [f"[{BRIEF}]"]


def test_what_a_schema_asks_is_counted_before_it_is_compiled():
    assert evaluations({"properties": {"a": {}, "b": {"items": {}}}}, 100) == 4
    assert evaluations(tower(10, "anyOf", {}), 1_000_000) > 2**10
    assert evaluations(tower(60, "anyOf", {}), 1_000_000) is None
    assert evaluations({"items": {"$ref": "#"}}, 100) is None


@pytest.mark.parametrize(
    ("pattern", "power"),
    [
        ("^abc$", 1),
        ("abc", 1),
        ("^[a-z]+$", 1),
        ("[a-z]+x", 2),
        ("^a*b*c*$", 3),
        (r"^\d{4}-\d{2}-\d{2}$", 1),
        (r"^[^)(\]]+$", 1),
        ("^(?:ab)*$", 1),
        ("^(?=.*[a-z])(?=.*[0-9]).{8,}$", 3),
    ],
)
def test_the_power_of_a_pattern_is_bounded_from_above(pattern, power):
    assert effort(pattern).power == power


@pytest.mark.parametrize(
    "pattern",
    [
        EVIL,
        "(a|aa)*$",
        r"(\w+\s?)*",
        "((a?)?)*",
        "(a{1,30}){1,30}",
        r"(a)\1",
        "(?>a)",
        "(",
        "a)",
        "a?" * 20,
        "(a|b){40}",
    ],
)
def test_what_may_be_exponential_or_is_not_understood_has_no_bound(pattern):
    assert effort(pattern) is None
