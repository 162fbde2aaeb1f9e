"""jsonschema with every keyword counted, so that no schema can keep it busy."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from attrs import define, field

from ._dialects import Dialect
from ._keywords import MANY, NAMED, ONE, REFERENCES
from ._patterns import Pattern, pattern_of
from ._problems import SchemaProblem

Keyword = Callable[[Any, Any, Any, Any], Iterator[Any] | None]

_RESERVED_FRAMES = 220  # for what goes through no keyword: unevaluated names, messages
_FRAMES = dict.fromkeys(ONE | MANY | NAMED | set(REFERENCES), 3) | {
    "anyOf": 4,
    "contains": 5,
    "if": 5,
    "not": 5,
    "oneOf": 6,
    "unevaluatedItems": 5,
    "unevaluatedProperties": 5,
}
_DEAREST_MATCH = 5_000  # keywords; a match that may cost more is not tried, and holds
_STEPS_A_KEYWORD = 500  # steps of `re` that take as long as one keyword


class Unexpected(Exception):
    """The names that made an object violate `additionalProperties`; rides on the error."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names


TOO_DEEP = "the value is nested too deeply to check it against this schema"


class OverBudget(SchemaProblem):
    """The schema needs more keyword evaluations than it was given."""


@define
class Engine:
    """The validator classes of one host, made when first needed.

    jsonschema itself has no bound: 22 levels of `anyOf` are four million evaluations. Here each
    keyword pays before it works, from a budget that belongs to the thread that validates.
    """

    fast: bool
    _classes: dict[Dialect, type] = field(factory=dict)
    _patterns: dict[str, Pattern | None] = field(factory=dict)
    _purse: threading.local = field(factory=threading.local)

    def fund(self, budget: int) -> None:
        """Give the next validation of this thread so many keyword evaluations.

        It also gets what room the stack has. Out of stack, the Rust part of jsonschema panics,
        with an exception that is no `Exception`.
        """
        self._purse.left = budget
        self._purse.room = sys.getrecursionlimit() - _frames() - _RESERVED_FRAMES

    def pattern(self, source: str) -> Pattern | None:
        if source not in self._patterns:
            if len(self._patterns) > 10_000:
                self._patterns.clear()
            self._patterns[source] = pattern_of(source, fast=self.fast)
        return self._patterns[source]

    def validator(self, dialect: Dialect, schema: dict[str, Any]) -> Any:
        """A jsonschema validator with an empty registry: no reference is ever fetched."""
        import referencing

        if dialect not in self._classes:
            self._classes[dialect] = self._counting(dialect)
        registry: referencing.Registry[Any] = referencing.Registry()
        return self._classes[dialect](schema, registry=registry)

    def _counting(self, dialect: Dialect) -> type:
        import jsonschema
        from jsonschema import validators

        plain = getattr(jsonschema, dialect.value)
        own: Mapping[str, Keyword] = {
            "pattern": self._match,
            "patternProperties": self._match_names,
            "additionalProperties": self._additional,
            "multipleOf": _multiple_of,
            "uniqueItems": _unique_items,
        }
        counted = {
            name: self._count(name, own.get(name, keyword))
            for name, keyword in plain.VALIDATORS.items()
        }
        extend: Callable[..., type] = validators.extend
        return extend(plain, validators=counted)

    def _count(self, name: str, keyword: Keyword) -> Keyword:
        frames = _FRAMES.get(name, 0)

        def counted(validator: Any, wanted: Any, value: Any, schema: Any) -> Any:
            self._pay(_price(wanted))
            errors = keyword(validator, wanted, value, schema)
            return errors if errors is None or not frames else self._deeper(frames, errors)

        return counted

    def _deeper(self, frames: int, errors: Iterator[Any]) -> Iterator[Any]:
        """The errors of a keyword that applies other schemas, if the stack has room for it."""
        purse = self._purse
        if purse.room < frames:
            raise SchemaProblem(TOO_DEEP)
        purse.room -= frames
        try:
            yield from errors
        finally:
            purse.room += frames

    def _pay(self, price: int) -> None:
        self._purse.left -= price
        if self._purse.left < 0:
            raise OverBudget("the schema is too complex to check this value against it")

    def _matches(self, source: str, text: str) -> bool:
        pattern = self.pattern(source)
        if pattern is None:
            return True
        price = pattern.steps(text) // _STEPS_A_KEYWORD
        if price > _DEAREST_MATCH:
            return True
        self._pay(price)
        return pattern.matches(str(text))  # the Rust engine takes no subclass

    def _match(self, validator: Any, source: str, value: Any, schema: Any) -> Iterator[Any]:
        from jsonschema.exceptions import ValidationError

        if validator.is_type(value, "string") and not self._matches(source, value):
            yield ValidationError("pattern")

    def _match_names(
        self, validator: Any, named: Mapping[str, Any], value: Any, schema: Any
    ) -> Iterator[Any]:
        if not validator.is_type(value, "object"):
            return
        self._pay(len(named) * len(value) // 4)
        for source, inner in named.items():
            for key, each in value.items():
                if self._matches(source, key):
                    yield from validator.descend(each, inner, path=key, schema_path=source)

    def _additional(
        self, validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        from jsonschema.exceptions import ValidationError

        if not validator.is_type(value, "object"):
            return
        known = schema.get("properties", {})
        named = schema.get("patternProperties", {})
        self._pay(len(value) * (1 + len(named)) // 4)
        extra = [
            key
            for key in value
            if key not in known and not any(self._matches(source, key) for source in named)
        ]
        if isinstance(wanted, dict):
            for key in extra:
                yield from validator.descend(value[key], wanted, path=key)
        elif not wanted and extra:
            yield ValidationError("additionalProperties", cause=Unexpected(extra))


def _frames() -> int:
    """How deep the stack is now."""
    frame = sys._getframe()  # noqa: SLF001  # inspect.stack reads source files for each frame
    depth = 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def _price(wanted: Any) -> int:
    """What a keyword with this value costs: names may each give an error, schemas pay later."""
    match wanted:
        case list():
            return 1 + len(wanted)
        case dict():
            names = sum(len(each) for each in wanted.values() if isinstance(each, list))
            return 1 + (len(wanted) >> 3) + names
        case _:
            return 1


def _multiple_of(validator: Any, wanted: float, value: Any, schema: Any) -> Iterator[Any]:
    """In decimals, as people write them: 1.13 is a multiple of 0.01."""
    from jsonschema.exceptions import ValidationError

    if validator.is_type(value, "number") and _fraction(value) % _fraction(wanted):
        yield ValidationError("multipleOf")


def _fraction(number: float) -> Fraction:
    return Fraction(number if isinstance(number, int) else repr(number))


def _unique_items(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[Any]:
    """In linear time, where jsonschema compares each with each."""
    from jsonschema.exceptions import ValidationError

    if wanted and validator.is_type(value, "array"):
        keys = [_identity(each) for each in value]
        if len(set(keys)) < len(keys):
            yield ValidationError("uniqueItems")


def _identity(value: Any) -> Any:
    """Equal for what JSON Schema calls equal: 1 and 1.0 are, 1 and true are not."""
    match value:
        case bool():
            return "boolean", value
        case dict():
            return "object", frozenset((key, _identity(each)) for key, each in value.items())
        case list():
            return "array", tuple(map(_identity, value))
        case _:
            return value
