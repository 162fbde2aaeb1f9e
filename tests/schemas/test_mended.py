"""What a provider is sent is JSON Schema throughout, whatever the tool's author wrote."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.schemas import mended

KEYWORDS = sorted(
    {
        "$anchor", "$comment", "$defs", "$id", "$ref", "additionalItems", "additionalProperties",
        "allOf", "anyOf", "const", "contains", "default", "definitions", "dependencies",
        "dependentRequired", "dependentSchemas", "deprecated", "description", "else", "enum",
        "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items", "maxItems",
        "maxLength", "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf",
        "not", "nullable", "oneOf", "pattern", "patternProperties", "prefixItems", "properties",
        "propertyNames", "readOnly", "required", "then", "title", "type", "unevaluatedProperties",
        "uniqueItems", "x-own",
    }
)  # fmt: skip
DRAFTS = {
    None: jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema#": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-04/schema#": jsonschema.Draft4Validator,
}
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 3.0, -1.5]),
    st.sampled_from(["", "a", "string", "int", "numbr", "#/x", "a b", "[", "Object"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
        st.dictionaries(st.sampled_from(["a", "b", "type"]), inner, max_size=3),
    ),
    max_leaves=12,
)
SCHEMAS = st.dictionaries(st.sampled_from(KEYWORDS), VALUES, max_size=6)


@pytest.mark.parametrize("draft", DRAFTS, ids=str)
@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS)
def test_whatever_is_written_what_is_sent_holds_to_its_draft(draft, schema):
    said = schema if draft is None else {"$schema": draft} | schema
    fit = mended(said)
    faults = list(DRAFTS[draft](DRAFTS[draft].META_SCHEMA).iter_errors(fit.schema))
    assert faults == [], (faults[0].json_path, faults[0].message, fit.schema)
    assert mended(fit.schema).schema is fit.schema


@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS)
def test_what_needs_no_mending_is_the_very_schema_and_the_rest_is_said(schema):
    fit = mended(schema)
    if fit.schema is schema:
        assert fit.notes == ()
    else:
        assert 1 <= len(fit.notes) <= 8
        assert all(len(note) <= 200 for note in fit.notes)


def of(**properties):
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("written", "sent", "said"),
    [
        (of(v={"type": "numbr"}), of(v={}), "/properties/v/type is 'numbr', left out"),
        (of(v={"type": "int"}), of(v={"type": "integer"}), "is 'int', sent as 'integer'"),
        (of(v={"type": "String"}), of(v={"type": "string"}), "sent as 'string'"),
        (of(v={"type": ["str", "none"]}), of(v={"type": ["string", "null"]}), "sent as ['str"),
        (of(v={"type": ["string", "numbr"]}), of(v={}), "left out"),
        (of() | {"required": "value"}, of(), "/required is 'value', left out"),
        (of() | {"required": ["v", "v", 5]}, of() | {"required": ["v"]}, "sent as ['v']"),
        (of(v={"required": True}), of(v={}), "/properties/v/required is True, left out"),
        (of(v={"minimum": "3"}), of(v={}), "/properties/v/minimum is '3', left out"),
        (of(v={"minLength": -1}), of(v={}), "minLength is -1, left out"),
        (of(v={"enum": "red"}), of(v={}), "enum is 'red', left out"),
        (of(v={"items": None}), of(v={}), "/properties/v/items is None, left out"),
        (of(v=None), of(v={}), "/properties/v is no schema"),
        (of(v={"anyOf": []}), of(v={}), "/properties/v/anyOf"),
        (of(v={"description": ["x"]}), of(v={}), "description is ['x'], left out"),
        (
            of(v={"items": [{"type": "int"}], "additionalItems": False}),
            of(v={"prefixItems": [{"type": "integer"}], "items": False}),
            "a list, sent as prefixItems",
        ),
        (
            of(v={"minimum": 3, "exclusiveMinimum": True}),
            of(v={"exclusiveMinimum": 3}),
            "exclusiveMinimum is true or false",
        ),
        (of(v={"$id": "#v"}), of(v={}), "$id is '#v', left out"),
    ],
)
def test_what_is_meant_is_sent_and_what_is_nothing_is_left_out(written, sent, said):
    fit = mended(written)
    assert fit.schema == sent
    assert any(said in note for note in fit.notes)


@pytest.mark.parametrize(
    "schema",
    [
        of(v={"default": {"type": 5}, "const": {"required": "x"}, "examples": [{"type": "numbr"}]}),
        of(type={"type": "string"}, required={"type": "boolean"}, items={}),
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}, {}]},
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": {"v": {"minimum": 3, "exclusiveMinimum": True}},
        },
        {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
        {"additionalProperties": False, "x-own": {"type": "numbr"}, "nullable": "yes"},
    ],
)
def test_data_and_names_and_older_drafts_are_left_as_they_are(schema):
    assert mended(schema).schema is schema


def test_what_was_given_is_not_changed():
    written = of(v={"type": "numbr", "minimum": 1})
    copy = of(v={"type": "numbr", "minimum": 1})
    mended(written)
    assert written == copy


def test_depth_costs_no_stack():
    deep: dict = {"type": "numbr"}
    for _ in range(5_000):
        deep = {"items": deep}
    assert mended(deep).notes
    inner = mended(deep).schema
    for _ in range(5_000):
        inner = inner["items"]
    assert inner == {}
