"""Arguments that models mangle are mended where they can be read in exactly one way."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.arguments import ArgumentProblem, repair

ISSUE = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "draft": {"type": "boolean"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "author": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
        },
    },
    "required": ["title"],
}
COMMAND = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
READ = {"properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}
FREE = {"type": "object"}
OPEN = READ | {"required": ["path"], "additionalProperties": True}


@pytest.mark.parametrize(
    ("schema", "raw", "extra", "arguments"),
    [
        # nothing, and JSON text
        (READ, None, {}, {}),
        (READ, "", {}, {}),
        (READ, "{}", {}, {}),
        (READ, '{"path": "p"}', {}, {"path": "p"}),
        (READ, json.dumps('{"path": "p"}'), {}, {"path": "p"}),
        # one wrapper
        (READ, {"arguments": {"path": "p"}}, {}, {"path": "p"}),
        (READ, {"parameters": {"path": "p"}}, {}, {"path": "p"}),
        (READ, {"input": {"path": "p"}}, {}, {"path": "p"}),
        (READ, {"args": {"path": "p"}}, {}, {"path": "p"}),
        (READ, {"name": "read", "arguments": {"path": "p"}}, {}, {"path": "p"}),
        (READ, {"name": "read", "arguments": '{"path": "p"}'}, {}, {"path": "p"}),
        (READ, {"args": {"arguments": {"path": "p"}}}, {}, {"path": "p"}),
        (READ, {"arguments": {"path": "p"}, "limit": 2}, {}, {"path": "p", "limit": 2}),
        ({"properties": {}}, {"arguments": {}}, {}, {}),
        (OPEN, {"arguments": {"path": "p"}}, {}, {"path": "p"}),
        # beside the id
        (COMMAND, None, {"command": "x"}, {"command": "x"}),
        (COMMAND, {}, {"command": "x"}, {"command": "x"}),
        (READ, {"path": "p"}, {"limit": 2}, {"path": "p", "limit": 2}),
        (READ, {"path": "p"}, {"path": "p"}, {"path": "p"}),
        (READ, None, {"arguments": {"path": "p"}}, {"path": "p"}),
        (READ, {}, {"arguments": {"path": "p"}}, {"path": "p"}),
        (READ, {"path": "p"}, {"arguments": {"path": "p"}}, {"path": "p"}),
        (READ, {"path": "p"}, {"name": "read_file"}, {"path": "p"}),
        (FREE, None, {"anything": 1}, {"anything": 1}),
        # dotted
        (READ, {}, {"args.path": "p", "args.limit": 2}, {"path": "p", "limit": 2}),
        (READ, {"args.path": "p"}, {}, {"path": "p"}),
        (READ, {"arguments.path": "p"}, {}, {"path": "p"}),
        (ISSUE, {"title": "x", "author.name": "a"}, {}, {"title": "x", "author": {"name": "a"}}),
        (
            ISSUE,
            {},
            {"args.title": "x", "args.author.age": 3},
            {"title": "x", "author": {"age": 3}},
        ),
        (
            ISSUE,
            {"title": "x", "author": {"name": "a"}, "author.age": "3"},
            {},
            {"title": "x", "author": {"name": "a", "age": 3}},
        ),
        # strings for values of another type
        (ISSUE, {"count": "5"}, {}, {"count": 5}),
        (ISSUE, {"count": "-5"}, {}, {"count": -5}),
        (ISSUE, {"ratio": "1.5"}, {}, {"ratio": 1.5}),
        (ISSUE, {"ratio": "2"}, {}, {"ratio": 2}),
        (ISSUE, {"ratio": "1e3"}, {}, {"ratio": 1000.0}),
        (ISSUE, {"draft": "true"}, {}, {"draft": True}),
        (ISSUE, {"draft": "False"}, {}, {"draft": False}),
        (ISSUE, {"labels": '["a", "b"]'}, {}, {"labels": ["a", "b"]}),
        (ISSUE, {"sizes": '[1, "2"]'}, {}, {"sizes": [1, 2]}),
        (ISSUE, {"sizes": ["1", 2]}, {}, {"sizes": [1, 2]}),
        (ISSUE, {"author": '{"age": "7"}'}, {}, {"author": {"age": 7}}),
        (ISSUE, {"author": {"age": "null"}}, {}, {"author": {"age": None}}),
        (
            {"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
            {"n": "4"},
            {},
            {"n": 4},
        ),
        ({"properties": {"n": {"enum": [1, 2]}}}, {"n": "2"}, {}, {"n": 2}),
        ({"properties": {"n": {"const": True}}}, {"n": "true"}, {}, {"n": True}),
        (
            {"properties": {"n": {"$ref": "#/$defs/i"}}, "$defs": {"i": {"type": "integer"}}},
            {"n": "4"},
            {},
            {"n": 4},
        ),
    ],
)
def test_it_is_read_as_it_was_meant(schema, raw, extra, arguments):
    repaired = repair(schema, raw, extra=extra)
    assert repaired.arguments == arguments
    assert [type(each) for each in repaired.arguments.values()] == list(
        map(type, arguments.values())
    )


def test_what_was_mended_is_noted_by_field_without_its_value():
    notes = repair(ISSUE, '{"arguments": {"count": "5", "author.name": "secret"}}').notes
    assert len(notes) == 4
    assert "`count` read as integer" in notes
    assert "secret" not in repr(notes)


@pytest.mark.parametrize(
    ("schema", "raw"),
    [
        ({"properties": {"args": {"type": "object"}}}, {"args": {"path": "p"}}),
        ({"properties": {"args": {}}}, {"args": {"path": "p"}}),
        ({"properties": {"input": {"type": "string"}}}, {"input": '{"path": "p"}'}),
        ({"properties": {"name": {}, "arguments": {}}}, {"name": "n", "arguments": {"a": 1}}),
        ({"properties": {"parameters": {}, "x": {}}}, {"parameters": {"x": 1}}),
        ({"properties": {"id": {}, "name": {}}}, {"id": "mcp:a:b", "name": "x"}),
        ({"properties": {"a.b": {}, "a": {"properties": {"b": {}}}}}, {"a.b": 1}),
        ({"properties": {"args.path": {}, "path": {}}}, {"args.path": 1}),
        (FREE, {"arguments": {"path": "p"}}),
        (FREE, {"args.path": "p", "n": "5"}),
        ({"additionalProperties": {"type": "string"}}, {"input": {"x": 1}}),
        ({"properties": {"x": {}}, "additionalProperties": True}, {"args": {"x": 1}}),
        ({"patternProperties": {"^a": {}}, "properties": {"x": {}}}, {"arguments": {"x": 1}}),
    ],
)
def test_a_field_that_the_tool_may_mean_is_never_taken_for_anything_else(schema, raw):
    assert repair(schema, raw).arguments == raw


@pytest.mark.parametrize(
    "raw",
    [
        {"count": "abc"},
        {"count": "1.0"},
        {"count": "5.5"},
        {"count": "007"},
        {"count": "+5"},
        {"count": " 5"},
        {"count": "5 "},
        {"count": "-0"},
        {"count": "1e3"},
        {"count": "0x10"},
        {"count": "٣"},
        {"count": "9007199254740993"},
        {"count": "1" * 5000},
        {"count": ""},
        {"count": "true"},
        {"count": "null"},
        {"ratio": "1e999"},
        {"ratio": "NaN"},
        {"ratio": "Infinity"},
        {"ratio": "3.14159265358979323846"},
        {"ratio": "1_000"},
        {"draft": "yes"},
        {"draft": "1"},
        {"draft": 1},
        {"title": 5},
        {"labels": "a"},
        {"labels": "a,b"},
        {"labels": "[a]"},
        {"labels": '{"a": 1}'},
        {"labels": "[" * 50_000},
        {"author": '{"a": 1, "a": 2}'},
        {"title": "5"},
        {"title": "null"},
        {"labels": ["1", "true"]},
        {"unknown": "5"},
    ],
)
def test_what_loses_something_or_leaves_a_doubt_stays_for_validation_to_refuse(raw):
    assert repair(ISSUE, raw).arguments == raw


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": ["integer", "string"]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"type": "integer"}, {}]},
        {"enum": [5, "5"]},
        {"$ref": "#/nowhere"},
        {"$ref": "http://example.com/x"},
        {"not": {"type": "string"}},
        {"type": "int"},
        {"allOf": [{"type": "integer"}, {"type": "string"}]},
    ],
)
def test_a_string_stays_one_where_the_schema_allows_it_or_says_nothing(schema):
    assert repair({"properties": {"n": schema}}, {"n": "5"}).arguments == {"n": "5"}


@pytest.mark.parametrize(
    ("schema", "raw", "extra", "said"),
    [
        (READ, "not json", {}, "not a JSON object"),
        (READ, '{"path": "secret"', {}, "not a JSON object"),
        (READ, "[1]", {}, "not a JSON object"),
        (READ, ["secret"], {}, "not a JSON object"),
        (READ, 5, {}, "not a JSON object"),
        (READ, True, {}, "not a JSON object"),
        (READ, '{"path": NaN}', {}, "not a JSON object"),
        (READ, "[" * 100_000, {}, "not a JSON object"),
        (READ, {1: "secret"}, {}, "not a string"),
        (READ, '{"path": "secret", "path": "other"}', {}, "stands twice"),
        (READ, {"path": "secret"}, {"path": "other"}, "`path` is given twice"),
        (READ, {"arguments": {"path": "secret"}, "path": "other"}, {}, "`path` is given twice"),
        (READ, {"path": "secret"}, {"args.path": "other"}, "`path` is given twice"),
        (READ, {"args.path": "secret", "input.path": "other"}, {}, "`path` is given twice"),
        (READ, {"arguments": {"path": "a"}, "input": {"path": "b"}}, {}, "both `arguments` and"),
        (READ, {"path": "secret"}, {"arguments": {"limit": 1}}, "given twice, and differ"),
        (READ, {"limit": 1}, {"limit": True}, "`limit` is given twice"),
        (READ, {"limit": 1}, {"reason": "secret"}, "`reason` beside the arguments"),
        (READ, {"arguments": {"path": "p"}, "why": "secret"}, {}, "`why` beside the arguments"),
        (ISSUE, {"author": {"age": 1}, "author.age": 2}, {}, "`age` is given twice"),
        (ISSUE, {"author": "secret", "author.age": 2}, {}, "`author` is given twice"),
        (
            {
                "properties": {
                    "a": {"properties": {"b.c": {}, "b": {"properties": {"c": {}}}}},
                }
            },
            {"a.b.c": "secret"},
            {},
            "may mean more than one",
        ),
        (
            {"properties": {"a": {}, "x": {}}},
            {"args": {"args": {"args": {"args": {"args": {"args": {"a": 1}}}}}}},
            {},
            "wrapped more than once",
        ),
    ],
)
def test_two_readings_or_none_are_an_error_that_does_not_echo_the_payload(schema, raw, extra, said):
    with pytest.raises(ArgumentProblem) as problem:
        repair(schema, raw, extra=extra)
    assert said in str(problem.value)
    assert "Not executed" in str(problem.value)
    assert "secret" not in str(problem.value)
    assert len(str(problem.value)) < 300


def test_an_argument_named_args_may_be_given_alone():
    schema = {"properties": {"args": {"type": "array", "items": {"type": "string"}}}}
    assert repair(schema, ["-l"]).arguments == {"args": ["-l"]}
    assert repair(schema, {"args": ["-l"]}).arguments == {"args": ["-l"]}


def test_the_tools_own_name_around_a_wrapper_is_not_its_field_called_name():
    schema = {"properties": {"name": {"type": "string"}, "id": {}}}
    raw = {"name": "create_user", "arguments": {"name": "Ada"}}
    called = ("plugin:users:create_user", "create_user")
    assert repair(schema, raw, called=called).arguments == {"name": "Ada"}
    assert repair(schema, {"name": "create_user"}, called=called).arguments == {
        "name": "create_user"
    }
    with pytest.raises(ArgumentProblem, match="`name` is given twice"):
        repair(schema, raw)


def test_a_declared_wrapper_that_cannot_hold_an_object_is_seen_through():
    schema = {
        "properties": {"command": {"type": "string"}, "arguments": {"type": "array"}},
        "required": ["command"],
    }
    given_ = {"command": "ls", "arguments": ["-l"]}
    assert repair(schema, None, extra={"arguments": given_}).arguments == given_
    assert repair(schema, given_).arguments == given_


def test_nothing_given_is_changed():
    raw = {"author": {"age": "3"}, "author.name": "x", "sizes": ["1"]}
    before = json.dumps(raw)
    repair(ISSUE, raw)
    assert json.dumps(raw) == before


# Whatever is sent to whatever tool.

NAMES = st.sampled_from(
    ["a", "b", "c", "a.b", "args", "input", "name", "id", "arguments", "args.a", "b.c", "a.b.c"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**18)
    | st.floats(allow_nan=False)
    | st.sampled_from(["5", "true", "x", "null", "1.5", "[1]", '{"a": "1"}', '{"args": {}}', ""])
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
KINDS = st.sampled_from(
    ["string", "integer", "number", "boolean", "null", "array", "object", ["integer", "null"], "x"]
)


def _schemas(inner):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS,
            "properties": st.dictionaries(NAMES, inner, max_size=4),
            "required": st.lists(NAMES, max_size=2),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "$ref": st.sampled_from(["#", "#/properties/a", "#/nowhere", "x"]),
            "enum": st.lists(VALUES, min_size=1, max_size=2),
        },
    )


SCHEMAS = st.recursive(st.booleans() | _schemas(st.nothing()), _schemas, max_leaves=8)
ROOTS = SCHEMAS.filter(lambda schema: isinstance(schema, dict))
EXTRAS = st.dictionaries(NAMES, VALUES, max_size=3)


def repaired_or_problem(schema, raw, extra=None):
    try:
        return repair(schema, raw, extra=extra)
    except ArgumentProblem as problem:
        return problem


@settings(deadline=None)
@given(ROOTS, VALUES, EXTRAS)
def test_it_gives_an_object_or_says_why_not(schema, raw, extra):
    found = repaired_or_problem(schema, raw, extra)
    assert isinstance(found, ArgumentProblem) or isinstance(found.arguments, dict)


@settings(deadline=None)
@given(ROOTS, VALUES, EXTRAS)
def test_what_was_repaired_is_right(schema, raw, extra):
    once = repaired_or_problem(schema, raw, extra)
    if not isinstance(once, ArgumentProblem):
        again = repair(schema, once.arguments)
        assert json.dumps(again.arguments) == json.dumps(once.arguments)


@settings(deadline=None)
@given(ROOTS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_valid_arguments_with_the_tools_own_fields_pass_unchanged(schema, raw):
    from toolsearch.schemas import SchemaProblem, Validator
    from toolsearch_hookspecs import Limits

    declared = schema.get("properties", {}) if "$ref" not in schema else {}
    if not set(raw) <= set(declared):
        return
    try:
        wrong = Validator.compile(schema, Limits(), root="any").validate(raw)
    except SchemaProblem:
        return
    if not wrong:
        assert json.dumps(repair(schema, raw).arguments) == json.dumps(raw)


@settings(deadline=None)
@given(ROOTS, st.dictionaries(NAMES, VALUES, max_size=4), EXTRAS)
def test_no_value_is_invented_and_none_is_lost(schema, raw, extra):
    found = repaired_or_problem(schema, raw, extra)
    if not isinstance(found, ArgumentProblem):
        assert set(_leaves(found.arguments)) <= set(_leaves(raw)) | set(_leaves(extra))
        if not found.notes:
            assert found.arguments == raw


def _leaves(value):
    """The scalars inside, and those inside JSON texts."""
    match value:
        case dict():
            for each in value.values():
                yield from _leaves(each)
        case list():
            for each in value:
                yield from _leaves(each)
        case str():
            yield repr(value)
            try:
                inner = json.loads({"True": "true", "False": "false"}.get(value, value))
            except ValueError:
                return
            yield from _leaves(inner) if not isinstance(inner, str) else ()
        case _:
            yield repr(value)
