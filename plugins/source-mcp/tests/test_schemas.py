from __future__ import annotations

import json

import pytest

from toolsearch_hookspecs import EMPTY_SCHEMA, Limits, Quarantined
from toolsearch_source_mcp import ServerSettings
from toolsearch_source_mcp._listing import ListingReader
from toolsearch_source_mcp._schemas import SchemaError, input_schema, mend_types


def read(schema, **limits):
    text = json.dumps({"name": "t", "inputSchema": schema}, separators=(",", ":"))
    return input_schema(schema, Limits(**limits), text)


@pytest.mark.parametrize("schema", [None, {}])
def test_no_schema_means_no_arguments(schema):
    assert read(schema) == EMPTY_SCHEMA


@pytest.mark.parametrize(
    ("written", "meant"),
    [("int", "integer"), ("STRING", "string"), ("bool", "boolean"), ("dict", "object"),
     (["int", "null"], ["integer", "null"])],
)  # fmt: skip
def test_types_of_other_languages_are_put_right_where_a_schema_stands(written, meant):
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"type": written}]}}}
    assert read(schema)["properties"]["a"]["anyOf"] == [{"type": meant}]


def test_a_type_that_says_nothing_is_no_constraint():
    assert read({"properties": {"a": {"type": "any"}, "b": {"type": None}}})["properties"] == {
        "a": {},
        "b": {},
    }


def test_data_inside_a_schema_is_left_as_it_is():
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["int"], "default": "int"},
            "a": {"const": {"type": "int"}, "examples": [{"type": "int"}]},
        },
    }
    assert mend_types(schema) is schema


@pytest.mark.parametrize("schema", ["string", 5, [], True, {"type": "array"}, {"type": "int"}])
def test_a_schema_that_is_not_of_an_object_is_refused_with_the_reason(schema):
    with pytest.raises(SchemaError, match="input schema"):
        read(schema)


def test_one_of_several_types_may_be_an_object():
    assert read({"type": ["object", "null"], "properties": {}})["type"] == "object"


def test_a_recursive_schema_is_kept_and_nothing_is_fetched():
    schema = {
        "type": "object",
        "properties": {"child": {"$ref": "#"}, "far": {"$ref": "http://127.0.0.1:9/s.json"}},
    }
    assert read(schema) == schema


@pytest.mark.parametrize(
    ("schema", "limits", "reason"),
    [
        (
            {"properties": {"a": {"properties": {"b": {}}}}},
            {"max_schema_depth": 3},
            "deeper than 3",
        ),
        ({"properties": {str(n): {} for n in range(20)}}, {"max_subschemas": 10}, "more than 10"),
        ({"description": "x" * 200}, {"max_schema_bytes": 100}, "over 100"),
    ],
)
def test_a_schema_over_a_bound_is_refused_with_the_reason(schema, limits, reason):
    with pytest.raises(SchemaError, match=reason):
        read(schema, **limits)


def test_a_tool_nested_too_deep_to_be_written_down_leaves_its_siblings():
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"properties": deep}
    reader = ListingReader(ServerSettings(command="x"), Limits())
    listing = reader.read([{"name": "deep", "inputSchema": deep}, {"name": "flat"}], modern=False)
    assert [tool.name for tool in listing.tools] == ["flat"]
    assert listing.quarantined == [
        Quarantined(name="deep", reason="it is nested too deep to be read")
    ]
    while deep:
        deep = deep.pop("properties", None)


def test_an_invalid_header_annotation_quarantines_the_tool_in_the_new_era_only():
    tool = {
        "name": "t",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "string", "x-mcp-header": "not a token"}},
        },
    }
    reader = ListingReader(ServerSettings(command="x"), Limits())
    assert reader.read([tool], modern=False).quarantined == []
    reader = ListingReader(ServerSettings(command="x"), Limits())
    (left_out,) = reader.read([tool], modern=True).quarantined
    assert "header annotation" in left_out.reason
