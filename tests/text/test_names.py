"""Names are compared the way people and models write them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.text import fold, nearest, spelling, words
from toolsearch.text._names import edit_distance

NAMES = st.text(alphabet="abc", max_size=9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bash", "bash"),
        ("Straße", "STRASSE"),
        ("ＢＡＳＨ", "bash"),
        ("e\u0301x", "ÉX"),
        ("ba\u200bsh", "bash"),
    ],
)
def test_names_that_differ_in_case_width_or_hidden_text_fold_alike(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    "name", ["getUser", "get_user", "get user", "Get-User", "get.user", "GetUser", "GET_USER"]
)
def test_every_spelling_has_the_same_key(name):
    assert spelling(name) == spelling("get_user")


def test_names_are_split_at_humps_digits_keep_their_word():
    assert words("getUserByID") == ("get", "user", "by", "id")
    assert words("HTTPServer") == ("http", "server")
    assert words("utf8_decode") == ("utf8", "decode")


@pytest.mark.parametrize(
    ("asked", "choices", "first"),
    [
        ("file_write", ["write_file", "read_file", "list_pages"], "write_file"),
        ("creat_isue", ["create_issue", "create_pull", "close"], "create_issue"),
        ("createIssue", ["mcp:gh:create_issue", "mcp:gh:list"], "mcp:gh:create_issue"),
        ("mcp:gh:crate_issue", ["mcp:gh:create_issue", "mcp:x:go"], "mcp:gh:create_issue"),
        ("send_message", ["slack_send_message", "read_mail"], "slack_send_message"),
    ],
)
def test_the_choice_that_was_meant_comes_first(asked, choices, first):
    assert nearest(asked, choices)[0] == first


def test_nothing_is_near_to_nonsense():
    assert nearest("frobnicate", ["create_issue", "list_pages"]) == ()
    assert nearest("", ["create_issue"]) == ()


def test_a_part_that_every_name_has_makes_none_of_them_near():
    choices = [f"get_{letter * 4}" for letter in "abdefhijklmnopqrsu"]
    assert nearest("get_weather", choices) == ()


def test_at_most_three_are_given_in_an_order_that_does_not_depend_on_the_catalog():
    choices = [f"create_issue_{number}" for number in range(9)]
    assert nearest("create_issue", choices) == nearest("create_issue", reversed(choices))
    assert len(nearest("create_issue", choices)) == 3


def test_a_name_of_a_million_characters_is_compared_by_its_beginning():
    assert nearest("x" * 1_000_000 + "create_issue", ["create_issue"]) == ()


@settings(deadline=None)
@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=8))
def test_suggestions_are_choices_each_once(word, choices):
    found = nearest(word, choices)
    assert set(found) <= set(choices)
    assert len(set(found)) == len(found) <= 3


@settings(deadline=None)
@given(NAMES, NAMES)
def test_the_distance_is_that_of_the_textbook(one, other):
    assert edit_distance(one, other) == _textbook(one, other)


def _textbook(one, other):
    table = [
        [max(i, j) if 0 in (i, j) else 0 for j in range(len(other) + 1)]
        for i in range(len(one) + 1)
    ]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            changed = one[i - 1] != other[j - 1]
            table[i][j] = min(
                table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + changed
            )
            if i > 1 < j and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]
