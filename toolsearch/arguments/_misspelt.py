"""Fields that a schema lets pass but that the tool does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..schemas import Document, Violation, unknown
from ..text import nearest
from ._shape import Shape, items

_MOST = 10
_DEEPEST = 16


def misspelt(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Violation]:
    """The fields that are near to a declared one which is absent, at most ten.

    JSON Schema allows every name where `additionalProperties` is not said; most tools do not say
    it and ignore what they do not know. A field that differs from a declared one by a letter
    would then be lost without a word. Where other names are invited, none is misspelt.
    """
    found = _found(Shape.of(Document(schema), schema), arguments, ())
    return [each for each, _ in zip(found, range(_MOST), strict=False)]


def _found(
    shape: Shape, value: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[Violation]:
    absent = [name for name in shape.fields if name not in value]
    for name, each in value.items():
        if name in shape.fields:
            yield from _inside(shape, (*path, name), shape.fields[name], each)
        elif shape.closed and absent:
            for meant in nearest(name, absent[:1000], 1):
                yield unknown((*path, name), meant)


def _inside(
    shape: Shape, path: tuple[str | int, ...], schemas: tuple[Any, ...], value: Any
) -> Iterator[Violation]:
    if len(path) > _DEEPEST:
        return
    match value:
        case Mapping():
            yield from _found(Shape.of(shape.document, *schemas), value, path)
        case list() if inner := items(shape.document, *schemas):
            for index, each in enumerate(value):
                yield from _inside(shape, (*path, index), inner, each)
        case _:
            return
