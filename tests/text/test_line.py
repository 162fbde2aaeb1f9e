"""Lines are cut where a reader sees a boundary."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.text import cut, one_line

FAMILY = "👨\u200d👩\u200d👧"


def test_a_short_text_is_one_line_as_it_is():
    assert one_line("two\n  words\tand more ", 100) == "two words and more"


def test_a_cut_is_marked_and_counts():
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcdef", 1) == "…"
    assert one_line("abcdef", 0) == ""


@pytest.mark.parametrize(
    "cluster",
    [FAMILY, "🇩🇪", "e\u0323\u0302x"[:3], "👍🏽", "각", "\u1100\u1161\u11a8", "नि", "1\ufe0f\u20e3"],
)
def test_what_a_reader_sees_as_one_character_is_never_split(cluster):
    text = "ab" + cluster + "cd"
    ends = {cut(text, at) for at in range(len(text) + 1)}
    assert ends <= {0, 1, 2, 2 + len(cluster), 3 + len(cluster), 4 + len(cluster)}


def test_flags_are_split_between_pairs_only():
    assert cut("🇩🇪🇫🇷", 3) == 2


def test_a_pile_of_marks_cannot_make_a_line_longer_or_empty():
    pile = "e" + "\u0323" * 500
    assert cut(pile, 100) == 100


def test_a_huge_text_costs_no_more_than_its_line():
    assert one_line("word " * 10_000_000, 20) == "word word word word…"


@settings(deadline=None)
@given(st.text(), st.integers(0, 100))
def test_a_cut_is_never_after_the_place_asked_for(text, at):
    assert 0 <= cut(text, at) <= max(at, 0)
