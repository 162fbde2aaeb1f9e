"""The drafts of JSON Schema that are known, by their `$schema`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Dialect(StrEnum):
    """A draft, by the name that both validators give its class."""

    DRAFT_4 = "Draft4Validator"
    DRAFT_6 = "Draft6Validator"
    DRAFT_7 = "Draft7Validator"
    DRAFT_2019_09 = "Draft201909Validator"
    DRAFT_2020_12 = "Draft202012Validator"


_BY_ADDRESS = {
    "json-schema.org/draft-04/schema": Dialect.DRAFT_4,
    "json-schema.org/draft-06/schema": Dialect.DRAFT_6,
    "json-schema.org/draft-07/schema": Dialect.DRAFT_7,
    "json-schema.org/draft/2019-09/schema": Dialect.DRAFT_2019_09,
    "json-schema.org/draft/2020-12/schema": Dialect.DRAFT_2020_12,
    "json-schema.org/schema": Dialect.DRAFT_2020_12,
}


def dialect_of(address: Any) -> Dialect | None:
    """The dialect of a `$schema`: 2020-12 where none is given (as MCP says), None if unknown."""
    if address is None:
        return Dialect.DRAFT_2020_12
    if not isinstance(address, str):
        return None
    bare = address.strip().removeprefix("https://").removeprefix("http://").removesuffix("#")
    return _BY_ADDRESS.get(bare)
