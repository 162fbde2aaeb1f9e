"""Whatever a Python tool gives, as a JSON value."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

import attrs
from pydantic import BaseModel

DEEPEST = 100  # containers inside one another
_LARGEST_INTEGER = 1 << 64
_LONG_NUMBER = re.compile("[0-9]{20}")
_ADDRESS = re.compile(" at 0x[0-9a-fA-F]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_value(value: Any) -> Any:
    """The value as JSON can hold it: null, booleans, numbers, strings, lists and dicts by string.

    What JSON has no word for becomes a readable stand-in: times in ISO 8601, sets as sorted
    lists, bytes as text (or base64 where they are none), `NaN` and integers beyond 64 bits as
    strings, records as objects, a cycle as `[circular]`. Never raises, and gives the same for
    the same.
    """
    match value:
        case None | bool():
            return value
        case _ if type(value) is str and value.isascii():
            return value
    plain = _as_it_is(value)
    return _Stand().of(value) if plain is None else plain[0]


def _as_it_is(value: Any) -> tuple[Any] | None:
    """The value by way of its own JSON, where it has one: this is what most tools give."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, check_circular=True)
    except (TypeError, ValueError, RecursionError):
        return None
    if _LONG_NUMBER.search(text) or _SURROGATE.search(text) or _too_deep(text):
        return None
    return (json.loads(text),)


def _too_deep(text: str) -> bool:
    return text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST


def _depth(text: str) -> int:
    """A bound on the nesting, brackets inside strings counted as well."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


class _Stand:
    """Walks a value, knowing what it is inside of."""

    def __init__(self) -> None:
        self.open: list[int] = []

    def of(self, value: Any) -> Any:
        match value:
            case None | bool():
                return value
            case Enum():
                return self.of(value.value)
            case int():
                return _integer(value)
            case float():
                return _float(value)
            case str():
                return _SURROGATE.sub("\ufffd", str.__str__(value))
            case bytes() | bytearray() | memoryview():
                return _bytes(bytes(value))
            case datetime() | date() | time():
                return value.isoformat()
            case timedelta() | Decimal() | Fraction() | UUID() | PurePath() | complex():
                return str(value)
            case type():
                return f"<{value.__qualname__}>"
        return self._container(value)

    def _container(self, value: Any) -> Any:
        if id(value) in self.open:
            return "[circular]"
        if len(self.open) >= DEEPEST:
            return f"[nested deeper than {DEEPEST} levels]"
        self.open.append(id(value))
        try:
            return self._inside(value)
        except Exception:  # noqa: BLE001  # a tool's own class must not make its result a failure
            return f"<{type(value).__qualname__}>"
        finally:
            self.open.pop()

    def _inside(self, value: Any) -> Any:
        match value:
            case Mapping():
                return self._object(value.items())
            case AbstractSet():
                return sorted(map(self.of, value), key=_order)
            case Sequence():
                return [self.of(each) for each in value]
            case BaseModel():
                return self._object(_fields(value, type(value).model_fields))
            case _ if dataclasses.is_dataclass(value):
                return self._object(_fields(value, [f.name for f in dataclasses.fields(value)]))
            case _ if attrs.has(type(value)):
                return self._object(_fields(value, [f.name for f in attrs.fields(type(value))]))
            case _ if type(value).__module__.partition(".")[0] == "numpy":
                return self.of(value.tolist())
            case BaseException():
                return f"{type(value).__name__}: {_text_of(value)}"
            case _:
                return _text_of(value)

    def _object(self, items: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, each in items:
            name = _key(key, self)
            taken = 2
            while name in made:
                name = f"{_key(key, self)} ({taken})"
                taken += 1
            made[name] = self.of(each)
        return made


def _fields(value: Any, names: Iterable[str]) -> list[tuple[str, Any]]:
    """The fields that have a value; a missing one is not asked for twice."""
    return [(name, getattr(value, name)) for name in names if hasattr(value, name)]


def _key(key: Any, stand: _Stand) -> str:
    plain = stand.of(key)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _integer(value: int) -> int | str:
    if -_LARGEST_INTEGER < value < _LARGEST_INTEGER:
        return int(value)
    if value.bit_length() > 4096:
        return f"[an integer of {value.bit_length()} bits]"
    return str(int(value))


def _float(value: float) -> float | str:
    match float(value):
        case number if number != number:  # noqa: PLR0124  # what sets NaN apart
            return "NaN"
        case number if number in {float("inf"), float("-inf")}:
            return "Infinity" if number > 0 else "-Infinity"
        case number:
            return number


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"data:application/octet-stream;base64,{base64.b64encode(value).decode()}"


def _order(value: Any) -> tuple[str, str]:
    return type(value).__name__, json.dumps(value, ensure_ascii=False, sort_keys=True)


def _text_of(value: Any) -> str:
    """What an object says of itself, if its class bothered to; never an address in memory."""
    own = vars(object)
    kind = type(value)
    if kind.__str__ == own["__str__"] and kind.__repr__ == own["__repr__"]:
        return f"<{type(value).__qualname__}>"
    return _ADDRESS.sub("", _SURROGATE.sub("\ufffd", str(value)))
