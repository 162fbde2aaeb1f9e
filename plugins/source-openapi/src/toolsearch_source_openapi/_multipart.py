"""A body of several parts: fields and files."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolsearch_hookspecs import ToolError

from ._bodies import JSON, Body
from ._values import scalar

Part = tuple[str, tuple[Any, ...]]  # a name, and file name, content and perhaps media type


def multipart(value: Mapping[str, Any], body: Body) -> tuple[str, bytes]:
    """The content type with its boundary, and the content. Raises ToolError for a file that is
    none.
    """
    import httpx2

    parts = [part for name, each in value.items() for part in _parts(name, each, body)]
    request = httpx2.Request("POST", "http://localhost", files=parts or [("", (None, b""))])
    return request.headers["content-type"], request.read()


def _parts(name: str, value: Any, body: Body) -> Iterator[Part]:
    match value:
        case None:
            return
        case [*items]:
            for item in items:
                yield from _parts(name, item, body)
        case Mapping() if name in body.files:
            filename = str(value.get("filename") or "file")
            yield name, (filename, _bytes(name, value), *_kind(name, body))
        case Mapping():
            kind = body.kinds.get(name, JSON)
            yield name, (None, json.dumps(value).encode(), kind)
        case _:
            yield name, (None, scalar(value).encode(), *_kind(name, body))


def _kind(name: str, body: Body) -> tuple[()] | tuple[str]:
    return (body.kinds[name],) if name in body.kinds else ()


def _bytes(name: str, file: Mapping[str, Any]) -> bytes:
    match file.get("text"), file.get("base64"):
        case str(text), None:
            return text.encode(errors="replace")
        case None, str(text):
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError) as error:
                raise ToolError(f"{name}.base64 is no base64") from error
        case _:
            raise ToolError(f"{name} needs its content: either text or base64")
