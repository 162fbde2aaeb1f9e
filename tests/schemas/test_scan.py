"""A schema is judged before anything is compiled, whatever it is."""

import sys

import pytest

from toolsearch.schemas import scan
from toolsearch_hookspecs import Limits

LIMITS = Limits()


def nested(levels, inner=None):
    schema = inner or {}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": ["object", "null"]},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}},
        {"properties": {"a": {"$ref": "#here"}, "b": {"$anchor": "here"}}},
        {"properties": {"a": {"$ref": "#/components/x"}}, "components": {"x": {}}},
        {"properties": {"$ref": {"type": "string"}}},
        {"properties": {"a": {"const": {"$ref": "http://x/"}}}},
        {"properties": {"a": {"default": {"$ref": "file:///etc/passwd"}}}},
        {"$ref": "#"},
    ],
)
def test_an_ordinary_schema_has_no_problem(schema):
    assert scan(schema, LIMITS) == ()


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (None, "not a JSON object"),
        (True, "not a JSON object"),
        ({"type": "string"}, "does not describe an object"),
        ({"$schema": "http://127.0.0.1/own-dialect"}, "is not known and is not fetched"),
        ({"$schema": 7}, "is not known"),
        ({"$ref": "http://127.0.0.1/x"}, "leaves the schema; none is fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "leaves the schema"),
        ({"properties": {"a": {"$dynamicRef": "other.json#x"}}}, "leaves the schema"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "leads nowhere"),
        ({"properties": {"a": {"$ref": "#none"}}}, "leads nowhere"),
        ({"x": {"y": {"$ref": "http://x/"}}, "$ref": "#/x/y"}, "leaves the schema"),
        ({"properties": {"a": {"$schema": "http://x/"}}}, "is not known"),
        ({"description": "x" * 300_000}, "larger than 262144 bytes"),
        ({"enum": [object()]}, "holds a object, which is not JSON"),
        ({1: {}}, "a key that is not a string"),
        (nested(65), "nested deeper than 64 levels"),
        (nested(3000), "nested deeper than 64 levels"),
        ({"default": nested(3000)}, "nested deeper than 64 levels"),
        ({"allOf": [{} for _ in range(10_001)]}, "more than 10000 subschemas"),
    ],
)
def test_a_schema_that_cannot_be_used_says_why(schema, said):
    (problem,) = scan(schema, LIMITS)
    assert said in problem


def test_a_schema_within_the_depth_has_no_problem():
    assert scan(nested(63), LIMITS) == ()


def test_a_schema_that_holds_itself_is_too_deep():
    schema = {"properties": {}}
    schema["properties"]["a"] = schema
    assert scan(schema, LIMITS) == ("the schema is nested deeper than 64 levels",)


def test_a_schema_deeper_than_the_stack_is_judged():
    assert scan(nested(10 * sys.getrecursionlimit()), LIMITS) != ()


def test_an_output_schema_may_describe_anything():
    assert scan({"type": "string"}, LIMITS, root="any") == ()


def test_the_limits_are_those_of_the_deployment():
    assert scan(nested(3), Limits(max_schema_depth=3)) != ()
    assert scan({"title": "x" * 100}, Limits(max_schema_bytes=100)) != ()
    assert scan(nested(3), Limits(max_subschemas=3)) != ()


def test_a_problem_shows_a_bounded_part_of_a_reference_and_nothing_that_acts():
    (problem,) = scan({"$ref": "http://x/\x1b[2J" + "y" * 5000}, LIMITS)
    assert "\x1b" not in problem
    assert len(problem) < 200
