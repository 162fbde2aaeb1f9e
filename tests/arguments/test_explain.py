"""A refusal teaches: the field, what was wrong, the nearest name, what the tool takes."""

import pytest

from toolsearch.arguments import explain_violations, misspelt
from toolsearch.schemas import Violation

ISSUE = {
    "properties": {
        "title": {"type": "string"},
        "labels": {"type": "array", "items": {"properties": {"colour": {}}}},
        "author": {"properties": {"name": {}}},
    }
}


def test_it_reads_as_a_list_of_fields_with_the_signature_below():
    text = explain_violations(
        "mcp:github:create_issue",
        [
            Violation("title", "is required"),
            Violation("titel", "is not a known field", "title"),
            Violation("", "must be an object, not an array"),
        ],
        "{ title: string }",
    )
    assert text == (
        "The arguments for mcp:github:create_issue do not fit its schema. Not executed.\n"
        "- `title` is required\n"
        "- `titel` is not a known field; did you mean `title`?\n"
        "- `the arguments` must be an object, not an array\n"
        "It takes: { title: string }"
    )


@pytest.mark.parametrize(
    ("arguments", "path", "meant"),
    [
        ({"titel": "x"}, "titel", "title"),
        ({"title": "x", "lables": []}, "lables", "labels"),
        ({"author": {"nmae": "x"}}, "author.nmae", "name"),
        ({"labels": [{"color": 1}]}, "labels[0].color", "colour"),
        ({"author.nam": "x", "authr": 1}, "authr", "author"),
    ],
)
def test_a_field_that_would_be_lost_without_a_word_is_named(arguments, path, meant):
    assert Violation(path, "is not a known field", meant, "unknown") in misspelt(ISSUE, arguments)


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (ISSUE, {"title": "x", "titel": "y"}),
        (ISSUE, {"something_else": 1}),
        (ISSUE | {"additionalProperties": True}, {"titel": "x"}),
        (ISSUE | {"additionalProperties": {"type": "string"}}, {"titel": "x"}),
        (ISSUE | {"patternProperties": {"^t": {}}}, {"titel": "x"}),
        ({"type": "object"}, {"titel": "x"}),
        ({"properties": {"x1": {}}}, {"x2": 1}),
    ],
)
def test_a_field_that_the_tool_may_take_is_not_called_misspelt(schema, arguments):
    assert misspelt(schema, arguments) == []


def test_misspelt_fields_are_told_up_to_ten():
    many = {"items": {"properties": {"name": {}}}}
    schema = {"properties": {"rows": many}}
    assert len(misspelt(schema, {"rows": [{"nmae": 1}] * 50})) == 10


def test_looking_for_misspelt_fields_is_bounded_whatever_is_given():
    rows = {"items": {"properties": {f"field_number_{number}": {} for number in range(2000)}}}
    schema = {"properties": {"rows": rows}}
    found = misspelt(schema, {"rows": [{f"nothing{n}": n for n in range(20)}] * 20_000})
    assert found == []
