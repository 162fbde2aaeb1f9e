"""Strings that stand for something else, where the schema allows no string."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from attrs import frozen

from ..schemas import Document
from ._json_text import NotJson, parsed
from ._problem import ArgumentProblem
from ._shape import Shape, choices, items, kinds, kinds_of_value

_DEEPEST = 24
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_EXACT = (1 << 53) - 1  # beyond, other languages lose digits


@frozen
class Scalars:
    """Turns strings into what the schema wants there, where nothing else can be meant.

    `said` is told the path and the type for each.
    """

    document: Document
    said: Callable[[str, str], None]

    def fields(self, shape: Shape, value: dict[str, Any], path: str, depth: int) -> dict[str, Any]:
        return {
            name: self.value(shape.fields[name], each, f"{path}{name}", depth + 1)
            if name in shape.fields
            else each
            for name, each in value.items()
        }

    def value(self, schemas: tuple[Any, ...], value: Any, path: str, depth: int) -> Any:
        if depth > _DEEPEST:
            return value
        if isinstance(value, str):
            value = self._meant(schemas, value, path)
        match value:
            case dict():
                shape = Shape.of(self.document, *schemas)
                return self.fields(shape, value, f"{path}.", depth) if shape.fields else value
            case list() if inner := items(self.document, *schemas):
                return [
                    self.value(inner, each, f"{path}[{index}]", depth + 1)
                    for index, each in enumerate(value)
                ]
            case _:
                return value

    def _meant(self, schemas: tuple[Any, ...], text: str, path: str) -> Any:
        allowed = kinds(self.document, *schemas)
        if allowed is None or not allowed or "string" in allowed:
            return text
        value = _read(text)
        if isinstance(value, str) or not kinds_of_value(value) & allowed:
            return text
        if isinstance(value, float) and "number" not in allowed:
            return text
        fixed = choices(self.document, *schemas)
        if fixed is not None and not any(each == value for each in fixed):
            return text
        self.said(path, min(kinds_of_value(value) & allowed))
        return value


def _read(text: str) -> Any:
    """The one JSON value that the text stands for without loss, else the text itself."""
    match text:
        case "null":
            return None
        case "true" | "True":
            return True
        case "false" | "False":
            return False
        case _ if _INTEGER.fullmatch(text):
            return int(text) if abs(int(text)) <= _EXACT and text != "-0" else text
        case _ if len(text) <= 32 and _NUMBER.fullmatch(text):
            return _float(text)
        case _ if text.strip()[:1] in {"[", "{"} and text.strip():
            try:
                return parsed(text)
            except (NotJson, ArgumentProblem):
                return text
        case _:
            return text


def _float(text: str) -> float | str:
    number = float(text)
    whole_digits = abs(number) > _EXACT
    if whole_digits or Decimal(repr(number)) != Decimal(text):
        return text
    return number
