"""`plugins.settings.source-openapi`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings

Owner = Annotated[str, Field(pattern=r"^[a-z0-9_.-]+$")]
Address = Annotated[str, Field(pattern=r"^https?://")]


class DocumentSettings(Settings):
    """One document.

    `document` is a path (relative to the configuration file) or an address. `operations` and
    `exclude` are patterns of tool names. `auth` maps names of security schemes to environment
    variables; `headers` are sent with every call.
    """

    document: str
    server: Address | None = None
    operations: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    auth: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    trusted: bool = False
    max_response_bytes: Annotated[int, Field(ge=1_000)] = 5_242_880
    max_document_bytes: Annotated[int, Field(ge=1_000)] = 52_428_800


class OpenapiSettings(Settings):
    """The documents by the owner of their tools."""

    documents: Mapping[Owner, DocumentSettings] = {}
