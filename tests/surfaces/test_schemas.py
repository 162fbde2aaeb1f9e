"""Schemas in the form that a provider takes."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolsearch.surfaces import fitted_schema
from toolsearch_hookspecs import SurfaceLimits
from toolsearch_surface_gemini import GeminiSurface

WIDE = SurfaceLimits()
NARROW = GeminiSurface.limits
TEXT = {"type": "string"}


def fitted(schema, limits=WIDE):
    return fitted_schema(schema, limits).schema


def object_of(**properties):
    return {"type": "object", "properties": properties}


LEAVES = st.sampled_from(
    [
        True,
        {},
        TEXT,
        {"type": "integer", "exclusiveMinimum": 0, "maximum": 5},
        {"const": "a"},
        {"enum": ["a", 1, None]},
        {"type": ["string", "null"], "pattern": "^a"},
        {"properties": {"a": {"$ref": "#"}}},
        {"items": {"$ref": "#/$defs/two"}},
        {"type": "array"},
        {"not": {"type": "string"}},
    ]
)
# None of them refers to where it stands but through a property or an item.
REFERENCES = st.sampled_from(
    [
        {"$ref": "#/$defs/one"},
        {"$ref": "#/$defs/one", "description": "the first"},
        {"$ref": "#/$defs/one", "required": ["b"]},
        {"$ref": "#/$defs/one", "properties": {"b": TEXT}},
    ]
)


def _larger(inner):
    named = st.dictionaries(st.sampled_from(["a", "b", "$c"]), inner, max_size=3)
    several = st.lists(inner, min_size=1, max_size=3)
    required = st.lists(st.sampled_from(["a", "b", "$c", "d"]), max_size=2, unique=True)
    return st.one_of(
        st.fixed_dictionaries({"items": inner}),
        st.fixed_dictionaries({"prefixItems": several}, optional={"items": inner}),
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["object", ["object", "null"]]),
                "properties": named,
                "required": required,
                "additionalProperties": st.one_of(st.booleans(), inner),
                "anyOf": several,
                "oneOf": several,
                "allOf": several,
                "if": inner,
                "then": inner,
            },
        ),
    )


SCHEMAS = st.recursive(st.one_of(LEAVES, REFERENCES), _larger, max_leaves=8)
ROOTS = st.builds(
    lambda root, one, two: {**root, "$defs": {"one": one, "two": two}},
    SCHEMAS.filter(lambda schema: isinstance(schema, dict)),
    st.recursive(LEAVES, _larger, max_leaves=4),
    SCHEMAS,
)
VALUES = st.recursive(
    st.sampled_from(["a", "b", 1, 3, None, True]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "b", "$c", "d"]), inner, max_size=3),
    ),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "$c", "d"]), VALUES, max_size=3)


def is_valid(schema, value):
    return Draft202012Validator(schema).is_valid(value)


@given(ROOTS, ARGUMENTS, st.sampled_from([WIDE, NARROW]))
def test_arguments_that_the_tool_takes_are_taken_by_what_the_model_is_shown(
    schema, arguments, limits
):
    assume(is_valid(schema, arguments))
    shown = fitted_schema(schema, limits)
    # Of merged alternatives a property is shown as those that describe it do.
    assume(not any("is merged" in said for said in shown.said))
    sent = {own: name for name, own in shown.parameters.items()}
    renamed = {sent.get(name, name): value for name, value in arguments.items()}
    assert is_valid(shown.schema, renamed), shown.schema


@given(ROOTS, st.sampled_from([WIDE, NARROW]))
def test_what_is_shown_is_a_plain_object_without_references(schema, limits):
    shown = fitted(schema, limits)
    Draft202012Validator.check_schema(shown)
    assert shown["type"] == "object"
    assert isinstance(shown["properties"], dict)
    assert not shown.keys() & {"anyOf", "oneOf", "allOf", "enum", "not", "const"}
    assert not {"$ref", "$defs"} & set(_keywords(shown))
    if limits.keywords is not None:
        assert set(_keywords(shown)) <= limits.keywords


def _keywords(schema):
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        yield key
        inner = value.values() if key == "properties" else [value]
        inner = value if isinstance(value, list) else inner
        if key not in {"enum", "required", "type"}:
            for part in inner:
                yield from _keywords(part)


@given(ROOTS)
def test_what_fits_is_not_changed_again(schema):
    once = fitted(schema, NARROW)
    again = fitted_schema(once, NARROW)
    assert json.dumps(again.schema) == json.dumps(once)
    assert again.parameters == {}


@pytest.mark.parametrize("nothing", [None, {}, [], "object", {"type": "string"}])
def test_a_schema_that_is_missing_or_no_object_becomes_one_without_properties(nothing):
    assert fitted(nothing) == {"type": "object", "properties": {}}


def test_alternatives_at_the_root_are_one_object_whose_common_needs_stay():
    schema = {
        "type": "object",
        "properties": {"to": TEXT},
        "required": ["to"],
        "anyOf": [
            {"properties": {"kind": {"const": "a"}, "a": TEXT}, "required": ["kind", "a"]},
            {"properties": {"kind": {"const": "b"}, "b": TEXT}, "required": ["kind", "b"]},
        ],
    }
    shown = fitted_schema(schema, WIDE)
    assert set(shown.schema["properties"]) == {"to", "kind", "a", "b"}
    assert shown.schema["properties"]["kind"] == {"anyOf": [{"const": "a"}, {"const": "b"}]}
    assert shown.schema["required"] == ["to", "kind"]
    assert shown.needed == "Needed: a or b."
    assert shown.said == ("anyOf at the root is merged into one object",)


def test_parts_of_all_of_are_laid_together_and_all_their_needs_stay():
    schema = {
        "allOf": [
            {"$ref": "#/$defs/base"},
            {"properties": {"b": TEXT}, "required": ["b"]},
        ],
        "$defs": {"base": object_of(a=TEXT) | {"required": ["a"]}},
    }
    assert fitted(schema) == object_of(a=TEXT, b=TEXT) | {"required": ["a", "b"]}


def test_a_recursive_reference_is_written_out_once_and_then_open():
    schema = {"$ref": "#/$defs/tree", "$defs": {"tree": object_of(left={"$ref": "#/$defs/tree"})}}
    shown = fitted_schema(schema, WIDE)
    assert shown.schema == object_of(left={})
    assert "what is recursive, or beyond bounds, is left open" in shown.said


def test_a_bomb_of_references_stays_bounded():
    levels = 30
    defs = {
        f"d{n}": object_of(a={"$ref": f"#/$defs/d{n + 1}"}, b={"$ref": f"#/$defs/d{n + 1}"})
        for n in range(levels)
    }
    schema = object_of(x={"$ref": "#/$defs/d0"}) | {"$defs": {**defs, f"d{levels}": TEXT}}
    assert len(json.dumps(fitted(schema))) < 200_000


def test_a_reference_that_leaves_the_document_is_open_and_never_fetched():
    shown = fitted(object_of(a={"$ref": "https://example.org/x.json"}))
    assert shown == object_of(a={})


def test_properties_named_like_keywords_stay():
    schema = object_of(**{"$ref": TEXT, "definitions": TEXT, "id": TEXT, "x-y": TEXT, "type": TEXT})
    assert fitted(schema) == schema


def test_what_older_drafts_and_careless_servers_write_is_said_in_todays_words():
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "https://example.org/tool",
        "x-internal": 1,
        **object_of(
            n={"type": "int", "minimum": 1, "exclusiveMinimum": True, "description": None},
            pair={"type": "array", "items": [TEXT, TEXT], "additionalItems": False},
            odd={"type": "file", "required": True, "enum": []},
            list={"type": "array"},
        ),
        "required": ["n", "n", "gone", 7],
    }
    shown = fitted_schema(schema, WIDE)
    assert shown.schema == object_of(
        n={"type": "integer", "exclusiveMinimum": 1},
        pair={"type": "array", "prefixItems": [TEXT, TEXT]},
        odd={},
        list={"type": "array", "items": {}},
    ) | {"required": ["n"]}
    assert "/properties/odd/type is 'file', left out" in shown.said
    assert "/required is ['n', 'n', 'gone', 7], sent as ['n', 'gone']" in shown.said
    assert shown.said[-1] == "left out: x-internal"
