"""What of a tool is encoded."""

import pytest

from toolsearch_index_semantic._text import MAX_PARAMETERS, text_of


def test_owner_name_description_and_parameters_are_words(make_tool):
    schema = {"type": "object", "properties": {"repoName": {}, "issue_title": {}}}
    tool = make_tool("createIssue", "Opens an issue.", owner="git-hub", input_schema=schema)
    assert text_of(tool) == "git hub: create Issue. Opens an issue. (repo Name, issue title)"


def test_the_owner_that_nobody_named_says_nothing(make_tool):
    assert text_of(make_tool("sum", "Adds.")) == "sum. Adds."


@pytest.mark.parametrize("properties", [None, [], "x", {}, {"": 1}, {"\ud800": {}}])
def test_any_schema_gives_a_text_that_can_be_encoded(make_tool, properties):
    schema = {"type": "object", "properties": properties}
    text_of(make_tool("sum", "Adds \udfff.", input_schema=schema)).encode()


def test_what_is_long_is_cut(make_tool):
    schema = {"properties": {f"p{number}" + "x" * 99: {} for number in range(99)}}
    text = text_of(make_tool("sum", "y" * 9_999, input_schema=schema))
    assert len(text) < 1_100
    assert text.count(", ") == MAX_PARAMETERS - 1
