"""The JSON form of Python values: what a function gave, as the model and a body see it."""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import math
import numbers
import time
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import PurePath
from types import FunctionType, ModuleType
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

MAX_DEPTH = 64
MAX_REPR = 1_000
MAX_INT_BITS = 14_000
"""Below the 4300 digits that Python writes and reads."""


def json_value(value: Any, *, max_items: int) -> tuple[Any, str | None]:
    """A JSON value for any Python value, and a note where an iterator was cut.

    Never fails for the value: what has no form becomes a readable stand-in. An iterator gives at
    most `max_items` items, since it may be endless.
    """
    walk = _Walk(max_items)
    shown = walk.value(value, ())
    note = f"an iterator was cut after {max_items} items" if walk.cut else None
    return shown, note


class _Walk:
    def __init__(self, max_items: int) -> None:
        self.max_items = max_items
        self.cut = False

    def value(self, value: Any, above: tuple[int, ...]) -> Any:
        match value:
            case None | bool():
                return value
            case enum.Enum():
                plain = isinstance(value.value, str | int | float)
                return self.value(value.value, above) if plain else value.name
            case int():
                return int(value) if value.bit_length() <= MAX_INT_BITS else hex(value)
            case float():
                return float(value) if math.isfinite(value) else _not_finite(value)
            case str():
                return str(value).encode("utf-8", "replace").decode()
            case bytes() | bytearray() | memoryview():
                return _bytes(bytes(value))
            case Decimal() | Fraction():
                return str(value)
            case PurePath() | ZoneInfo():
                return str(value)
            case complex():
                return str(value).strip("()")
        if id(value) in above:
            return "[cycle]"
        if len(above) >= MAX_DEPTH:
            return "[too deep]"
        return self._nested(value, (*above, id(value)))

    def _nested(self, value: Any, above: tuple[int, ...]) -> Any:
        match value:
            case BaseModel():
                return _dumped(value)
            case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
                return _dumped(value)
            case tuple() if hasattr(value, "_fields"):
                return {name: self.value(getattr(value, name), above) for name in value._fields}
            case time.struct_time():
                names = (name for name in dir(value) if name.startswith("tm_"))
                return {name: self.value(getattr(value, name), above) for name in names}
            case Mapping():
                return {self._key(key): self.value(item, above) for key, item in value.items()}
            case AbstractSet():
                return sorted((self.value(item, above) for item in value), key=_order)
            case list() | tuple():
                return [self.value(item, above) for item in value]
            case Iterator() | range():
                return self._items(value, above)
            case Exception():
                return f"{type(value).__name__}: {value}"
            case type() | FunctionType() | ModuleType():
                return getattr(value, "__qualname__", value.__name__)
        return self._other(value, above)

    def _items(self, items: Iterable[Any], above: tuple[int, ...]) -> list[Any]:
        taken = list(islice(items, self.max_items + 1))
        self.cut = self.cut or len(taken) > self.max_items
        return [self.value(item, above) for item in taken[: self.max_items]]

    def _other(self, value: Any, above: tuple[int, ...]) -> Any:
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real):
            return self.value(float(value), above)
        fields = getattr(type(value), "__attrs_attrs__", None)
        if fields is not None:
            return {field.name: self.value(getattr(value, field.name), above) for field in fields}
        try:
            return _scalar(value)
        except PydanticSerializationError:
            pass
        if isinstance(value, Iterable) and hasattr(value, "__len__"):
            return self._items(value, above)
        return repr(value)[:MAX_REPR]

    def _key(self, key: Any) -> str:
        shown = self.value(key, ())
        return shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _bytes(value: bytes) -> Any:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}


def _refuse(value: Any) -> Any:
    raise PydanticSerializationError(type(value).__name__)


def _scalar(value: Any) -> Any:
    """Dates, UUIDs, paths, addresses: the forms that pydantic has for them."""
    return to_jsonable_python(value, fallback=_refuse, inf_nan_mode="strings")


def _dumped(value: Any) -> Any:
    """A model or dataclass in its own declared form, as its schema says."""
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    try:
        shown = adapter.dump_python(value, mode="json", by_alias=True, warnings=False)
        json.dumps(shown, allow_nan=False)
    except (PydanticSerializationError, ValueError, UnicodeError):
        return repr(value)[:MAX_REPR]
    return shown


def _order(shown: Any) -> str:
    return json.dumps(shown, sort_keys=True, ensure_ascii=False)
