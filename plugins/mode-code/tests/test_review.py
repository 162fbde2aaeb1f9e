"""Code that is written to keep the host busy while it is looked at."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toolsearch_mode_code._code import NoCodeError, code_of, unfenced

_LOOK = """
import sys
from toolsearch_hookspecs import CodeError, CodeOutcome
from toolsearch_mode_code._code import code_of
from toolsearch_mode_code._hints import hint, remarks
code = {code}
code_of({{"code": code}})
error = CodeError(name="SyntaxError", message="Unexpected token", line=1)
hint(code, CodeOutcome(outcome="syntax", error=error))
remarks(code, CodeOutcome(outcome="ok", value=None))
"""


@pytest.mark.parametrize(
    "code",
    [
        '"```\\n" + " " * 200_000 + "x"',
        '"```\\n" + "```" * 70_000 + "x"',
        '"```\\n" + " ```" * 50_000 + "x"',
        '"):" + " " * 200_000 + "#"',
        '("):" + " " * 90) * 2_000 + "#"',
        '"\\n" * 200_000 + "#"',
        '"(a" + " " * 200_000 + "#"',
        '"let a" + " " * 200_000 + "#"',
        '"let " * 60_000 + "#"',
        '"(" * 200_000 + "#"',
        '" " * 200_000 + "#"',
        '"Aas " * 60_000 + "#"',
    ],
)
def test_a_look_at_hostile_code_takes_no_longer_than_reading_it(code):
    """With a quadratic look each of these takes from ten minutes to hours."""
    subprocess.run([sys.executable, "-c", _LOOK.format(code=code)], check=True, timeout=60)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```\n```", ""),
        ("```js\nreturn 1\n```", "return 1"),
        ("~~~\nreturn 1\n  ~~~  \n", "return 1"),
        ("```\nreturn 1 ```", "return 1"),
        ("```\na\n\n```", "a\n"),
        ("````js\n```\n````", "```"),
        ("```js\nreturn 1", "```js\nreturn 1"),
        ("```", "```"),
        ("```js\nreturn 1\n~~~", "```js\nreturn 1\n~~~"),
    ],
)
def test_a_fence_is_taken_off_where_it_is_whole(text, code):
    assert unfenced(text) == code


@pytest.mark.parametrize("levels", [100, 20_000])
def test_wrappers_without_end_hold_no_code(levels):
    arguments: object = {"code": "return 1"}
    for _ in range(levels):
        arguments = {"input": arguments}
    with pytest.raises(NoCodeError):
        code_of(arguments)
