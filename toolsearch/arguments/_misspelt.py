"""Fields that a schema lets pass but that the tool does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from attrs import define

from ..schemas import Document, Violation, nearest_of, unknown
from ._shape import Shape, items

_MOST = 10
_MOST_LOOKED_AT = 200  # objects and unknown names
_DEEPEST = 16


def misspelt(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Violation]:
    """The fields that are near to a declared one which is absent, at most ten.

    JSON Schema allows every name where `additionalProperties` is not said; most tools do not say
    it and ignore what they do not know. A field that differs from a declared one by a letter
    would then be lost without a word. Where other names are invited, none is misspelt.
    """
    search = _Search(_MOST_LOOKED_AT)
    return list(islice(search.fields(Shape.of(Document(schema), schema), arguments, ()), _MOST))


@define
class _Search:
    """Looks for misspelt fields; `left` bounds the work."""

    left: int

    def fields(
        self, shape: Shape, value: Mapping[str, Any], path: tuple[str | int, ...]
    ) -> Iterator[Violation]:
        absent = [name for name in shape.fields if name not in value]
        for name, each in value.items():
            self.left -= 1
            if self.left < 0:
                return
            if name in shape.fields:
                yield from self.inside(shape, (*path, name), shape.fields[name], each)
            elif shape.closed and (meant := nearest_of(name, absent)) is not None:
                yield unknown((*path, name), meant)

    def inside(
        self, shape: Shape, path: tuple[str | int, ...], schemas: tuple[Any, ...], value: Any
    ) -> Iterator[Violation]:
        if len(path) > _DEEPEST:
            return
        match value:
            case Mapping():
                yield from self.fields(Shape.of(shape.document, *schemas), value, path)
            case list() if inner := items(shape.document, *schemas):
                for index, each in enumerate(value[: max(self.left, 0)]):
                    yield from self.inside(shape, (*path, index), inner, each)
            case _:
                return
