"""Content: only by opt-in, and redacted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch_hookspecs._redact import (
    ASSIGNED,
    HARMLESS_CHARS,
    HARMLESS_KEPT,
    IN_URL,
    MARK,
    MOST_CHARS,
    SCHEME,
    SHAPES,
    Redactor,
    _assigned,
    is_secret,
)

from .events_of import Log, event

KEY = "sk-" + "a1B2" * 8
TOKEN = "ghp_" + "0123456789abcdefABCDEF"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0xyz.c2lnbmF0dXJl"


def test_content_is_not_logged_unless_the_deployment_opted_in(tmp_path):
    log = Log(tmp_path)
    log.write(event("call.ended", {"call": "c"}, {"arguments": {"a": "private"}}))
    assert "private" not in log.file.read_text()
    assert "content" not in log.lines[0]


def test_content_is_logged_redacted_where_it_is_wanted(tmp_path):
    log = Log(tmp_path, content=True)
    arguments = {"title": "hello", "password": "hunter2", "nested": [{"apiKey": {"v": "x"}}]}
    log.write(
        event("call.ended", {"call": "c"}, {"arguments": arguments, "result": f"got {TOKEN}"})
    )
    assert log.lines[0]["content"] == {
        "arguments": {"title": "hello", "password": MARK, "nested": [{"apiKey": MARK}]},
        "result": f"got {MARK}",
    }


def test_secrets_of_the_environment_are_known_by_value(tmp_path):
    log = Log(
        tmp_path, environ={"GITHUB_TOKEN": "plain-looking-value", "HOME": "/home/me"}, content=True
    )
    log.write(event("call.ended", {}, {"result": "plain-looking-value in /home/me"}))
    assert log.lines[0]["content"]["result"] == f"{MARK} in /home/me"


def test_a_secret_in_a_reason_is_redacted_even_without_content(tmp_path):
    log = Log(tmp_path)
    log.write(event("source.failed", {"reason": f"401 for Bearer {JWT}"}))
    assert JWT not in log.file.read_text()


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        TOKEN,
        JWT,
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "xoxb-" + "123456789012-abcdef",
        "Authorization: Bearer abcdefgh12345678",
        "Authorization: Basic dXNlcjpwYXNz",
        "https://user:pa55word@example.org/x",
        '{"client_secret": "pa55word"}',
        "--password=pa55word",
        "const token = 'pa55word';",
        "-----BEGIN RSA PRIVATE KEY-----\npa55word\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\npa55word",
    ],
)
def test_a_secret_in_a_text_is_redacted(text):
    cleaned = Redactor().text(f"before {text} after")
    assert MARK in cleaned
    for secret in (
        "pa55word",
        "dXNlcjpwYXNz",
        "abcdefgh12345678",
        "ABCDEFGHIJKLMNOP",
        KEY,
        TOKEN,
        JWT,
    ):
        assert secret not in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "author: Ann",
        "the tokens of a sentence",
        "https://example.org/a:b",
        "passing = no",
        "risk-free",
    ],
)
def test_an_ordinary_text_is_left_alone(text):
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "key", ["token", "apiKey", "api_key", "DB_PASSWORD", "Set-Cookie", "authToken"]
)
def test_a_key_named_like_a_secret_hides_its_value(key):
    assert is_secret(key)
    assert Redactor().clean({key: "x"}) == {key: MARK}


def test_a_number_of_tokens_is_no_secret():
    assert Redactor().clean({"maxTokens": 100, "author": "Ann", "token": None}) == {
        "maxTokens": 100,
        "author": "Ann",
        "token": None,
    }


def test_what_is_too_long_or_too_deep_is_cut_and_said():
    assert Redactor().clean("word " * MOST_CHARS).endswith("[cut]")
    deep: object = "x"
    for _ in range(10_000):
        deep = [deep]
    assert "[cut]" in json.dumps(Redactor().clean(deep))
    many = Redactor().clean({str(n): n for n in range(MOST_CHARS)})
    assert many["[cut]"] > 0


def test_a_secret_at_the_cut_is_not_left_by_half():
    cleaned = Redactor().clean("x " * (MOST_CHARS // 2 - 12) + TOKEN)
    assert "ghp_" not in cleaned


def test_half_a_character_from_a_model_is_still_json(tmp_path):
    log = Log(tmp_path, content=True)
    log.write(event("search", {}, {"query": "\ud83d and \u2028", "n": float("nan"), "s": {1, 2}}))
    assert log.lines[0]["content"] == {"query": "\ud83d and \u2028", "n": "nan", "s": [1, 2]}


FRAGMENTS = st.sampled_from(
    [
        KEY,
        TOKEN,
        JWT,
        "bearer",
        "Basic ",
        "://",
        "user:pw@",
        "token",
        "=",
        ": ",
        "secret'",
        " ",
        "x" * 9,
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=12), max_size=8).map("".join))
def test_a_pattern_that_is_not_tried_would_have_found_nothing(text):
    redactor = Redactor(["told-by-the-deployment"])
    every = redactor._known.sub(MARK, text)
    for pattern, mark in ((SHAPES, MARK), (SCHEME, rf"\1 {MARK}"), (IN_URL, MARK)):
        every = pattern.sub(mark, every)
    every = ASSIGNED.sub(_assigned, every)
    assert [redactor.text(text) for _ in range(2)] == [every, every]


def test_what_is_known_to_be_harmless_stays_bounded():
    redactor = Redactor()
    for number in range(3 * HARMLESS_KEPT):
        redactor.text(f"name_{number}")
    redactor.text("long " * HARMLESS_CHARS)
    assert len(redactor._harmless) <= HARMLESS_KEPT
    assert max(map(len, redactor._harmless)) <= HARMLESS_CHARS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_whatever_comes_out_is_json_and_no_line_is_broken(value):
    from toolsearch_telemetry_jsonl._lines import line

    told = line(event("search", {}, {"value": value}), Redactor(), content=True)
    assert told.count(b"\n") == 1
    json.loads(told)


@given(json_values, st.sampled_from([KEY, TOKEN, JWT]))
def test_no_known_secret_survives_anywhere_in_a_value(value, secret):
    cleaned = json.dumps(Redactor().clean({"a": value, "b": [f"({secret})"], f"k {secret}": 1}))
    assert secret not in cleaned
