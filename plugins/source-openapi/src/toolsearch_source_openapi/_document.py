"""Reading a document: from a file or an address, JSON or YAML, and no larger than allowed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import attrs

from toolsearch_hookspecs import SourceUnavailable

MOST_NODES = 5_000_000
TIMEOUT_S = 30.0


@attrs.frozen(eq=False)
class Document:
    """A parsed document, a digest of its text, and the server that its tools call."""

    content: Mapping[str, Any]
    digest: str
    server: str

    def at(self, reference: str) -> Any:
        """What a local reference (`#/components/...`) leads to; None where that is nothing."""
        found: Any = self.content
        for part in reference.removeprefix("#/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        return found

    def resolved(self, value: Any) -> Mapping[str, Any]:
        """A mapping, or what it refers to; an empty one for anything else."""
        for _ in range(16):
            if not isinstance(value, Mapping) or not isinstance(value.get("$ref"), str):
                break
            value = self.at(value["$ref"])
        return value if isinstance(value, Mapping) else {}


async def read_document(place: str, base_dir: Path, server: str | None, max_bytes: int) -> Document:
    """Raises SourceUnavailable for what cannot be had or is no OpenAPI 3."""
    fetched = place.startswith(("https://", "http://"))
    try:
        data = await _fetched(place, max_bytes) if fetched else _read(base_dir / place, max_bytes)
    except OSError as error:
        raise SourceUnavailable(f"the document cannot be read: {type(error).__name__}") from error
    content = _parsed(data)
    version = str(content.get("openapi", ""))
    if not version.startswith("3."):
        raise SourceUnavailable("the document is no OpenAPI 3: it has no `openapi: 3.…`")
    called = server or _own_server(content, place if fetched else None)
    return Document(content, hashlib.sha256(data).hexdigest()[:24], called.rstrip("/"))


def _read(path: Path, max_bytes: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    return _bounded(data, max_bytes)


async def _fetched(url: str, max_bytes: int) -> bytes:
    import httpx2

    data = bytearray()
    try:
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream("GET", url) as response,
        ):
            if response.status_code != httpx2.codes.OK:
                raise SourceUnavailable(f"the document's address answers {response.status_code}")
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > max_bytes:
                    break
    except httpx2.HTTPError as error:
        raise SourceUnavailable(f"the document's address fails: {type(error).__name__}") from error
    return _bounded(bytes(data), max_bytes)


def _bounded(data: bytes, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise SourceUnavailable(f"the document has more than maxDocumentBytes ({max_bytes})")
    return data


def _parsed(data: bytes) -> Mapping[str, Any]:
    try:
        content = json.loads(data)
    except ValueError:
        content = _yaml(data)
    except RecursionError as error:
        raise SourceUnavailable("the document is nested too deeply") from error
    if not isinstance(content, Mapping):
        raise SourceUnavailable("the document is no object")
    return content


def _yaml(data: bytes) -> Any:
    """YAML without tags of Python; one whose aliases make it grow beyond use is refused."""
    yaml: Any = import_module("yaml")  # it has no types

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(data, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SourceUnavailable("the document is neither JSON nor YAML") from error
    nodes, waiting = 0, [content]
    while waiting:
        value = waiting.pop()
        nodes += 1
        if nodes > MOST_NODES:
            raise SourceUnavailable("the document's aliases make it too large")
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return content


def _own_server(content: Mapping[str, Any], url: str | None) -> str:
    """The document's first server; of a fetched one, only where it is the document's origin."""
    match content.get("servers"):
        case [{"url": str(address), **more}, *_]:
            variables = more.get("variables")
            for name, variable in (variables if isinstance(variables, Mapping) else {}).items():
                default = variable.get("default", "") if isinstance(variable, Mapping) else ""
                address = address.replace(f"{{{name}}}", str(default))
        case _:
            address = ""
    address = urljoin(url or "", address) if url else address
    if not address.startswith(("https://", "http://")):
        raise SourceUnavailable("the document names no server; set `server` in its settings")
    if url is not None and _origin(address) != _origin(url):
        raise SourceUnavailable("the document names a server elsewhere; set `server` to allow it")
    return address


def _origin(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.lower()
