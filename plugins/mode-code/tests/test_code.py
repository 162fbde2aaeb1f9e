from __future__ import annotations

import json

import pytest

from toolsearch_mode_code._code import NoCodeError, code_of


@pytest.mark.parametrize(
    "arguments",
    [
        {"code": "return 1"},
        "return 1",
        '{"code": "return 1"}',
        '"return 1"',
        {"arguments": {"code": "return 1"}},
        {"input": '{"code": "return 1"}'},
        {"script": "return 1"},
        {"code": "return 1", "language": "javascript"},
        {"code": "```js\nreturn 1\n```"},
        {"code": "\n```javascript\nreturn 1\n```\n"},
        {"code": "~~~\nreturn 1\n~~~"},
        "```\nreturn 1```",
    ],
)
def test_code_is_taken_as_models_send_it(arguments):
    assert code_of(arguments) == "return 1"


@pytest.mark.parametrize("code", ["const t = `a ``` b`;", "`x`", "// ```js\nreturn 1"])
def test_backticks_inside_code_are_no_fence(code: str):
    assert code_of({"code": code}) == code


@pytest.mark.parametrize("number", ["1", "[1, 2]", '{"a": 1}', "null"])
def test_code_that_happens_to_be_json_is_code(number: str):
    assert code_of(number) == number


@pytest.mark.parametrize(
    "arguments", [{"code": ""}, {"code": " \n\t"}, "", "```js\n```", "```\n\n```"]
)
def test_blank_code_is_refused_with_an_example(arguments):
    with pytest.raises(NoCodeError, match=r"the code is empty.*openclaw\.tools\.search"):
        code_of(arguments)


@pytest.mark.parametrize(
    "arguments", [None, 1, [], {}, {"code": 1}, {"query": "x"}, {"code": None}]
)
def test_arguments_without_code_are_refused(arguments):
    with pytest.raises(NoCodeError, match="there is no code"):
        code_of(arguments)


def test_two_different_codes_are_refused_rather_than_chosen_from():
    with pytest.raises(NoCodeError, match="twice"):
        code_of({"code": "return 1", "script": "return 2"})


def test_deeply_nested_text_is_taken_for_code():
    text = json.dumps("[") + "[" * 100_000
    assert code_of(text) == text
