"""The stated JSON form of every kind of value, in and out."""

import asyncio
import collections
import datetime as dt
import enum
import ipaddress
import itertools
import math
import time
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import attrs
import jsonschema
import pytest
from pydantic import BaseModel


class Pair(NamedTuple):
    left: int
    right: bytes


class Odd(enum.Enum):
    FIRST = (1, 2)
    SECOND = (3, 4)


class Mask(enum.Flag):
    READ = 1
    WRITE = 2


class Reading(BaseModel):
    at: dt.date
    value: float


@dataclass
class Place:
    name: str
    tags: set[str]


@attrs.frozen
class Box:
    width: int
    made: dt.date


ROUND_TRIPS = [
    pytest.param(bytes, "text", b"text", id="bytes as text"),
    pytest.param(bytes, {"base64": "/wA="}, b"\xff\x00", id="bytes as base64"),
    pytest.param(bytearray, "ab", bytearray(b"ab"), id="bytearray"),
    pytest.param(dt.date, "2026-12-01", dt.date(2026, 12, 1), id="date"),
    pytest.param(
        dt.datetime, "2026-12-01T10:00:00Z", dt.datetime(2026, 12, 1, 10, tzinfo=dt.UTC), id="moment"
    ),
    pytest.param(dt.time, "10:30:00", dt.time(10, 30), id="time"),
    pytest.param(dt.timedelta, "PT1H30M", dt.timedelta(minutes=90), id="duration"),
    pytest.param(set[int], [1, 2, 3], {1, 2, 3}, id="set"),
    pytest.param(frozenset[str], ["a", "b"], frozenset("ab"), id="frozenset"),
    pytest.param(AbstractSet[int], [1], {1}, id="abstract set"),
    pytest.param(tuple[int, str], [1, "a"], (1, "a"), id="tuple"),
    pytest.param(Sequence[int], [1, 2], [1, 2], id="sequence"),
    pytest.param(collections.deque[int], [1, 2], collections.deque([1, 2]), id="deque"),
    pytest.param(
        collections.Counter[str], {"a": 2}, collections.Counter({"a": 2}), id="counter"
    ),
    pytest.param(Pair, {"left": 1, "right": "r"}, Pair(1, b"r"), id="named tuple"),
    pytest.param(Decimal, "1.10", Decimal("1.10"), id="decimal"),
    pytest.param(Fraction, "1/3", Fraction(1, 3), id="fraction"),
    pytest.param(complex, "1+2j", 1 + 2j, id="complex"),
    pytest.param(uuid.UUID, str(uuid.UUID(int=5)), uuid.UUID(int=5), id="uuid"),
    pytest.param(
        ipaddress.IPv4Address, "10.0.0.1", ipaddress.IPv4Address("10.0.0.1"), id="address"
    ),
    pytest.param(
        ipaddress.IPv6Network, "fe80::/64", ipaddress.IPv6Network("fe80::/64"), id="network"
    ),
    pytest.param(PurePosixPath, "a/b", PurePosixPath("a/b"), id="path"),
    pytest.param(ZoneInfo, "Europe/Oslo", ZoneInfo("Europe/Oslo"), id="time zone"),
    pytest.param(Odd, "SECOND", Odd.SECOND, id="enumeration of what JSON has not"),
    pytest.param(Mask, 3, Mask.READ | Mask.WRITE, id="flags"),
    pytest.param(dict[int, list[bytes]], {"1": ["a"]}, {1: [b"a"]}, id="nested"),
    pytest.param(Reading, {"at": "2026-12-01", "value": 1.5},
                 Reading(at=dt.date(2026, 12, 1), value=1.5), id="model"),
    pytest.param(Place, {"name": "x", "tags": ["t"]}, Place("x", {"t"}), id="dataclass"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "shown", "value"), ROUND_TRIPS)
async def test_a_value_comes_in_and_goes_out_in_the_same_form(function, kind, shown, value):
    seen = []

    def f(a):
        seen.append(a)
        return a

    f.__annotations__ = {"a": kind, "return": kind}
    used = function(f)
    spec = (await used.specs())["f"]
    jsonschema.validate({"a": shown}, spec.input_schema)
    given = await used.call("f", a=shown)
    assert seen == [value]
    assert type(seen[0]) is type(value)
    assert given == shown
    jsonschema.validate(given, spec.output_schema)


async def test_a_decimal_written_as_a_number_stays_exact(function):
    def f(a: Decimal, b: Fraction) -> list[str]:
        return [str(a), str(b)]

    assert await function(f).call("f", a=0.1, b=0.1) == ["0.1", "1/10"]


@pytest.mark.parametrize("kind", [Decimal, Fraction])
async def test_a_number_too_large_to_compute_with_is_refused(function, kind):
    def f(a): ...

    f.__annotations__ = {"a": kind}
    result = await function(f).result("f", {"a": "1e999999999"})
    assert "exponent" in result.error.message


async def test_an_iterator_that_is_asked_for_is_one(function):
    def f(items: Iterator[int]) -> int:
        return next(items) + next(items)

    assert await function(f).call("f", items=[1, 2, 3]) == 3


async def test_an_asynchronous_iterator_that_is_asked_for_is_one(function):
    async def f(items: AsyncIterator[int]) -> int:
        return sum([item async for item in items])

    assert await function(f).call("f", items=[1, 2, 3]) == 6


async def test_an_endless_iterator_is_cut_and_it_is_said(function):
    def f() -> Iterator[int]:
        return itertools.count()

    result = await function(f).result("f", {})
    assert result.value == list(range(1_000))
    assert result.note == "an iterator was cut after 1000 items"


async def test_an_iterator_that_just_fits_is_not_said_to_be_cut(function):
    def f() -> Iterable[int]:
        return iter(range(1_000))

    result = await function(f).result("f", {})
    assert len(result.value) == 1_000
    assert result.note is None


async def test_an_asynchronous_generator_is_taken_up_to_the_bound_and_closed(function):
    closed = asyncio.Event()

    async def f() -> AsyncIterator[int]:
        try:
            for item in itertools.count():
                yield item
        finally:
            closed.set()

    result = await function(f).result("f", {})
    assert result.value == list(range(1_000))
    assert result.note is not None
    assert closed.is_set()


class Opaque:
    def __repr__(self) -> str:
        return "<opaque>"


CYCLE: list[Any] = [1]
CYCLE.append(CYCLE)

STAND_INS = [
    pytest.param(math.nan, "NaN", id="nan"),
    pytest.param(10**4_000, 10**4_000, id="long number"),
    pytest.param(16**4_000, f"0x1{'0' * 4_000}", id="number too long to write"),
    pytest.param(-math.inf, "-Infinity", id="infinity"),
    pytest.param({(1, 2): "a", 3: "b"}, {"[1, 2]": "a", "3": "b"}, id="keys that are not text"),
    pytest.param(CYCLE, [1, "[cycle]"], id="cycle"),
    pytest.param(Opaque(), "<opaque>", id="unknown object"),
    pytest.param({3, 1, 2}, [1, 2, 3], id="set in order"),
    pytest.param(range(3), [0, 1, 2], id="range"),
    pytest.param(Box(2, dt.date(2026, 1, 2)), {"width": 2, "made": "2026-01-02"}, id="attrs"),
    pytest.param(ValueError("no"), "ValueError: no", id="exception"),
    pytest.param(int, "int", id="class"),
    pytest.param("\ud800x", "?x", id="half a character"),
    pytest.param({"a": 1}.keys(), ["a"], id="keys view"),
    pytest.param({"a": 1}.values(), [1], id="values view"),
]


@pytest.mark.parametrize(("value", "shown"), STAND_INS)
async def test_what_json_cannot_hold_becomes_a_readable_stand_in(function, value, shown):
    def f():
        return value

    assert await function(f).call("f") == shown


async def test_a_structured_time_is_an_object_of_its_fields(function):
    def f():
        return time.gmtime(0)

    shown = await function(f).call("f")
    assert (shown["tm_year"], shown["tm_mon"], shown["tm_isdst"]) == (1970, 1, 0)


async def test_a_number_that_is_not_finite_keeps_to_the_output_schema(function):
    def f() -> float:
        return math.inf

    used = function(f)
    jsonschema.validate(await used.call("f"), (await used.specs())["f"].output_schema)


async def test_very_deep_results_end_in_a_mark(function):
    def f():
        value: list[Any] = []
        for _ in range(200):
            value = [value]
        return value

    shown = await function(f).call("f")
    for _ in range(64):
        (shown,) = shown
    assert shown == "[too deep]"
