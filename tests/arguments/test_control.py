"""The outer object of `tool_call` is read without guessing which tool is meant."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.arguments import ArgumentProblem, ControlCall, read_control_call


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ({"id": "x", "args": {"a": 1}}, ControlCall("x", {"a": 1}, {})),
        ({"id": " x ", "args": "{}"}, ControlCall("x", "{}", {})),
        ({"id": "x"}, ControlCall("x", None, {})),
        ({"id": "x", "args": None}, ControlCall("x", None, {})),
        (json.dumps({"id": "x", "args": {"a": 1}}), ControlCall("x", {"a": 1}, {})),
        ({"id": "x", "command": "ls"}, ControlCall("x", None, {"command": "ls"})),
        ({"id": "x", "arguments": {"a": 1}}, ControlCall("x", None, {"arguments": {"a": 1}})),
        ({"id": "x", "name": "y"}, ControlCall("x", None, {"name": "y"})),
        ({"name": "x", "args": {}}, ControlCall("x", {}, {})),
        ({"tool": "x", "args": {}}, ControlCall("x", {}, {})),
        ({"tool_id": "x", "input": {"a": 1}}, ControlCall("x", None, {"input": {"a": 1}})),
        ({"arguments": {"id": "x", "args": {"a": 1}}}, ControlCall("x", {"a": 1}, {})),
        ({"args": {"id": "x", "args": {"a": 1}}}, ControlCall("x", {"a": 1}, {})),
        ({"input": '{"id": "x"}'}, ControlCall("x", None, {})),
        (
            {"name": "tool_call", "arguments": {"id": "x", "args": {"a": 1}}},
            ControlCall("x", {"a": 1}, {}),
        ),
        (
            {"id": "x", "args": {}, "args.path": "p"},
            ControlCall("x", {}, {"args.path": "p"}),
        ),
        ({"id": "x", "args": {"id": "y", "args": 1}}, ControlCall("x", {"id": "y", "args": 1}, {})),
    ],
)
def test_the_tool_its_arguments_and_what_stands_beside_are_told_apart(arguments, call):
    assert read_control_call(arguments) == call


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (None, "not a JSON object"),
        ("secret", "not a JSON object"),
        (["secret"], "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ({}, "does not say which tool"),
        ({"args": {"a": "secret"}}, "does not say which tool"),
        ({"id": 5}, "`id` is not a string"),
        ({"id": "  "}, "`id` is empty"),
        ({"tool": "secret", "name": "other"}, "name different tools"),
        ('{"id": "secret", "id": "other"}', "twice with different values"),
    ],
)
def test_a_call_that_does_not_name_one_tool_says_so_and_echoes_nothing(arguments, said):
    with pytest.raises(ArgumentProblem) as problem:
        read_control_call(arguments)
    assert said in str(problem.value)
    assert "secret" not in str(problem.value)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(["id", "args", "name", "arguments", "tool", "x"]), inner, max_size=3
            )
        ),
    )
)
def test_whatever_is_sent_it_is_a_call_or_a_problem(arguments):
    try:
        call = read_control_call(arguments)
    except ArgumentProblem:
        return
    assert call.id.strip() == call.id != ""
    assert isinstance(call.extra, dict)
