"""Whatever a tool gives becomes JSON, readable and the same each time."""

import dataclasses
import enum
import json
from collections import OrderedDict, UserDict, deque
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import NamedTuple
from uuid import UUID

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from toolsearch.results import json_value


@dataclasses.dataclass
class Point:
    x: float
    seen: datetime


@attrs.define
class Box:
    width: int
    inside: object = None


class Person(BaseModel):
    name: str
    born: date


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Silent:
    pass


class Spoken:
    def __str__(self):
        return "spoken"


class Broken:
    def __str__(self):
        raise RuntimeError("no")


class Thrower(UserDict):
    def items(self):
        raise RuntimeError("no")


class Pair(NamedTuple):
    a: int
    b: object


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        ("text", "text"),
        (1.5, 1.5),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (float("nan"), "NaN"),
        ([float("inf"), -float("inf")], ["Infinity", "-Infinity"]),
        (2**63, 2**63),
        (2**70, "1180591620717411303424"),
        (-(2**70), "-1180591620717411303424"),
        (b"text", "text"),
        (b"\xff\x00", "data:application/octet-stream;base64,/wA="),
        (bytearray(b"x"), "x"),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a", 1}), [1, "a", "b"]),
        ((1, (2,)), [1, [2]]),
        (Pair(1, {2}), [1, [2]]),
        (deque([1, {1}]), [1, [1]]),
        (range(3), [0, 1, 2]),
        (OrderedDict(a=1), {"a": 1}),
        (UserDict(a={1}), {"a": [1]}),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (time(3, 4), "03:04:00"),
        (timedelta(days=1), "1 day, 0:00:00"),
        (Decimal("1.10"), "1.10"),
        (Fraction(1, 3), "1/3"),
        (1 + 2j, "(1+2j)"),
        (UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (PurePosixPath("a/b"), "a/b"),
        (Colour.RED, "red"),
        ([Level.LOW, {1}], [1, [1]]),
        (
            Point(1.0, datetime(2026, 1, 2, tzinfo=UTC)),
            {"x": 1.0, "seen": "2026-01-02T00:00:00+00:00"},
        ),
        (Box(1, {2}), {"width": 1, "inside": [2]}),
        (Person(name="a", born=date(2026, 1, 2)), {"name": "a", "born": "2026-01-02"}),
        (ValueError("bad"), "ValueError: bad"),
        (Silent(), "<Silent>"),
        (Silent, "<Silent>"),
        (Spoken(), "spoken"),
        ([Broken(), 1], ["<Broken>", 1]),
        (Thrower(a=1), "<Thrower>"),
        ("a\ud800b", "a\ufffdb"),
        ({1: "a", None: "b", (1, 2): {3}}, {"1": "a", "null": "b", "[1, 2]": [3]}),
        ({1: "a", "1": {2}}, {"1": "a", "1 (2)": [2]}),
        ({"a\ud800": 1}, {"a\ufffd": 1}),
    ],
)
def test_every_value_has_a_readable_form(value, shown):
    found = json_value(value)
    assert found == shown
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    found_type = type(found)
    assert found_type is type(shown)


def test_an_integer_too_long_to_write_is_told_by_its_size():
    assert json_value([10**5000]) == ["[an integer of 16610 bits]"]


def test_a_cycle_is_marked_and_a_value_met_twice_is_none():
    cycle = {"name": "a"}
    cycle["self"] = [cycle]
    assert json_value(cycle) == {"name": "a", "self": ["[circular]"]}
    shared = [1, {2}]
    assert json_value([shared, shared]) == [[1, [2]], [1, [2]]]


def test_what_is_nested_too_deeply_ends_in_words():
    value = []
    for _ in range(100_000):
        value = [value]
    text = json.dumps(json_value(value))
    assert text.count("[") == 101
    assert "nested deeper than 100 levels" in text


def test_a_deep_value_that_json_could_write_ends_in_words_as_well():
    value = "x"
    for _ in range(150):
        value = {"a": value}
    assert "nested deeper" in json.dumps(json_value(value))
    assert json_value(["[[[[" * 200]) == ["[[[[" * 200]


def test_no_address_in_memory_is_shown():
    assert json_value([lambda: 1, (each for each in ())]) == [
        "<function test_no_address_in_memory_is_shown.<locals>.<lambda>>",
        "<generator object test_no_address_in_memory_is_shown.<locals>.<genexpr>>",
    ]


def test_the_order_of_a_set_does_not_depend_on_the_process():
    assert json_value({"b", "a", None, 2, 10}) == [None, 2, 10, "a", "b"] or json_value(
        {"b", "a", None, 2, 10}
    ) == [None, 10, 2, "a", "b"]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary(max_size=9)
    | st.decimals()
    | st.dates()
    | st.complex_numbers()
    | st.sampled_from([Silent(), Colour.RED, Level.LOW, object, Broken(), "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.none() | st.floats(), inner, max_size=4)
        | st.builds(Box, st.integers(), inner)
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(ANYTHING)
def test_the_result_is_json_whatever_was_given(value):
    found = json_value(value)
    assert json.loads(json.dumps(found, allow_nan=False).encode()) == found
    assert json.dumps(json_value(found)) == json.dumps(found)
