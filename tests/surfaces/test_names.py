"""Names in a provider's alphabet."""

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from toolsearch.surfaces import provider_names

CHARS = "A-Za-z0-9_-"
NAMES = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=80),
        st.text("ab_.1", min_size=1, max_size=6),
        st.text("a", min_size=60, max_size=70),
    ),
    unique=True,
    max_size=30,
)


def named(*names, longest=64):
    return provider_names(names, CHARS, longest)


@given(NAMES, st.sampled_from([20, 64, 128]))
def test_every_name_fits_and_no_two_are_alike(names, longest):
    given = provider_names(names, CHARS, longest)
    assert list(given) == names
    assert len(set(given.values())) == len(names)
    for name in given.values():
        assert re.fullmatch(f"[A-Za-z_][{CHARS}]{{0,{longest - 1}}}", name)


@given(NAMES, st.randoms(use_true_random=False))
def test_the_order_of_tools_changes_no_name(names, dice):
    shuffled = list(names)
    dice.shuffle(shuffled)
    assert provider_names(names, CHARS, 64) == provider_names(shuffled, CHARS, 64)


def test_a_name_that_fits_stays_whatever_else_is_there():
    assert named("a_b", "a.b", "a b")["a_b"] == "a_b"


def test_characters_that_are_not_taken_become_one_underscore():
    assert named("höhe . messen") == {"höhe . messen": "h_he_messen"}


def test_a_name_never_begins_with_a_digit_or_a_dash():
    assert named("9lives", "-x") == {"9lives": "_9lives", "-x": "_-x"}


def test_what_would_be_alike_or_too_long_is_told_apart_by_a_digest_of_the_whole_name():
    given = named("a.b", "a b", "x" * 70)
    assert all(re.fullmatch("a_b_[0-9a-f]{8}", given[name]) for name in ("a.b", "a b"))
    assert re.fullmatch("x{55}_[0-9a-f]{8}", given["x" * 70])


def test_thousands_of_names_that_are_cut_alike_stay_apart():
    names = [f"{'long' * 20}{number}" for number in range(5_000)]
    random.Random(1).shuffle(names)
    assert len(set(named(*names).values())) == 5_000
