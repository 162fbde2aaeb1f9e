"""Keys that a plugin's type keeps without knowing them: each is said, with the one it is near to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from pydantic import AliasChoices, BaseModel

from ._reading import nearest
from ._tree import Path


@attrs.frozen
class KeptKey:
    """A key that has no effect. `foreign` is what its model knows of it, where it is known to be
    another program's; else `near` is the key that was perhaps meant.
    """

    path: Path
    foreign: str | None
    near: str | None


def kept_keys(value: Any, path: Path) -> Iterator[KeptKey]:
    """The keys that models keep without knowing them; models stand alone, in mappings and lists."""
    match value:
        case BaseModel():
            known = set(_keys_of(type(value)))
            foreign: Mapping[str, str] = getattr(type(value), "FOREIGN", {})
            for key in value.model_extra or ():
                yield KeptKey((*path, key), foreign.get(key), nearest(key, known))
        case Mapping():
            for key, inner in value.items():
                yield from kept_keys(inner, (*path, key))
        case list() | tuple():
            for number, inner in enumerate(value):
                yield from kept_keys(inner, (*path, number))


def _keys_of(model: type[BaseModel]) -> Iterator[str]:
    """Every spelling of every field, as it may stand in the file."""
    for name, field in model.model_fields.items():
        match field.validation_alias or field.alias:
            case AliasChoices(choices=choices):
                yield from (choice for choice in choices if isinstance(choice, str))
            case str(alias):
                yield alias
            case _:
                yield name
