"""Conditions on arguments: a JSON pointer, and what its value must be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import attrs

from ._globs import Glob

MISSING = object()


@attrs.frozen
class Condition:
    """One `"/pointer": expected` of a rule's `when`.

    `expected` is a glob, a list of globs (any of them), a number, a boolean or null (equal), or a
    JSON Schema. A pointer that leads nowhere never holds. Where a glob meets a list or an object,
    its inner values are looked at: a rule that restricts holds when one of them fits, a rule that
    admits when all of them do.
    """

    pointer: str
    expected: Any

    def holds(self, arguments: Mapping[str, Any], *, admits: bool) -> bool:
        value = resolved(self.pointer, arguments)
        if value is MISSING:
            return False
        match self.expected:
            case str() | list():
                return _fits(value, _globs(self.expected), admits=admits)
            case dict():
                return _validator(json.dumps(self.expected, sort_keys=True))(value)
            case expected:
                return type(value) is type(expected) and bool(value == expected)

    def __str__(self) -> str:
        return f"{self.pointer or 'the arguments'} fits {json.dumps(self.expected)}"


def resolved(pointer: str, document: Any) -> Any:
    """The value under a JSON pointer (RFC 6901), or `MISSING`."""
    value = document
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        match value:
            case Mapping() if key in value:
                value = value[key]
            case list() | tuple() if key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            case _:
                return MISSING
    return value


def check_expected(expected: Any) -> None:
    """Raise `ValueError` for what cannot be a condition."""
    match expected:
        case dict():
            from jsonschema.exceptions import SchemaError

            try:
                _validator_class(expected).check_schema(expected)
            except SchemaError as error:
                msg = f"not a JSON Schema: {error.message}"
                raise ValueError(msg) from error
        case list():
            if not expected or not all(isinstance(glob, str) for glob in expected):
                msg = "a list of globs holds texts only, at least one"
                raise ValueError(msg)


def _globs(expected: str | list[str]) -> tuple[Glob, ...]:
    return tuple(map(Glob.of, [expected] if isinstance(expected, str) else expected))


def _fits(value: Any, globs: tuple[Glob, ...], *, admits: bool) -> bool:
    verdicts = (any(glob.fits(text) for glob in globs) for text in _texts(value))
    if not admits:
        return any(verdicts)
    seen = False
    for verdict in verdicts:
        if not verdict:
            return False
        seen = True
    return seen


def _texts(value: Any) -> Iterator[str]:
    """The scalars inside a value, as text; without recursion, since a model chose the depth."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case Mapping() as inner:
                waiting.extend(inner.values())
            case list() | tuple() as inner:
                waiting.extend(inner)
            case scalar:
                yield json.dumps(scalar, default=str)


def _validator_class(schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(schema, default=Draft202012Validator)


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Callable[[Any], bool]:
    """A check against a schema; its registry can fetch nothing."""
    from referencing import Registry

    schema = json.loads(schema_text)
    validator = _validator_class(schema)(schema, registry=Registry())
    return lambda value: bool(validator.is_valid(value))
