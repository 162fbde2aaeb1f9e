"""From what a server lists to what the host catalogues: one bad tool leaves its siblings."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import attrs
from pydantic import ValidationError

from toolsearch_hookspecs import (
    Limits,
    Quarantined,
    SourceListing,
    ToolAnnotations,
    ToolSpec,
)
from toolsearch_hookspecs.text import clean, one_line

from ._schemas import SchemaError, input_schema, output_schema
from ._settings import ServerSettings

MAX_NAME = 128
MAX_ABOUT = 4_000
"""Of a server's own instructions, which only search reads."""

_NAME_SHOWN = 64
TOO_DEEP = "nested too deep"
_HEADER = '"x-mcp-header"'


@attrs.define
class ListingReader:
    """Reads listings of one server. Tools that did not change since the last are the same objects.

    `modern` asks for the checks of the 2026 revision that the client has to make.
    """

    settings: ServerSettings
    limits: Limits
    _last: dict[str, tuple[str, ToolSpec | Quarantined]] = attrs.field(factory=dict)

    def read(
        self, raw_tools: Sequence[Any], *, modern: bool, about: str | None = None
    ) -> SourceListing:
        by_name: dict[str, list[str]] = {}
        read: dict[str, tuple[str, ToolSpec | Quarantined]] = {}
        for position, raw in enumerate(raw_tools):
            text = _text(raw)
            name = raw.get("name") if isinstance(raw, dict) else None
            if isinstance(name, str) and not self._wanted(name):
                continue
            key = name if isinstance(name, str) else f"#{position}"
            seen = by_name.setdefault(key, [])
            if text in seen:
                continue
            seen.append(text)
            known = self._last.get(key)
            if known is not None and known[0] == text:
                read[key] = known
            else:
                read[key] = (text, self._tool(raw, position, text, modern=modern))
        for key, texts in by_name.items():
            if len(texts) > 1:
                reason = f"the server lists it {len(texts)} times, each time differently"
                read[key] = ("\n".join(texts), Quarantined(name=_shown(key), reason=reason))
        self._last = read
        return _listing(read, one_line(about or "", MAX_ABOUT))

    def _wanted(self, name: str) -> bool:
        settings = self.settings
        if any(fnmatchcase(name, pattern) for pattern in settings.exclude_tools):
            return False
        included = settings.include_tools
        return included is None or any(fnmatchcase(name, pattern) for pattern in included)

    def _tool(self, raw: Any, position: int, text: str, *, modern: bool) -> ToolSpec | Quarantined:
        if not isinstance(raw, dict) or not isinstance(raw.get("name"), str):
            return Quarantined(name=f"#{position + 1}", reason="it has no name")
        name: str = raw["name"]
        if text == TOO_DEEP:
            return Quarantined(name=_shown(name), reason="it is nested too deep to be read")
        reason = _bad_name(name) or _bad_execution(raw)
        if reason is None and modern and _HEADER in text:
            reason = _bad_headers(raw.get("inputSchema"))
        if reason is not None:
            return Quarantined(name=_shown(name), reason=reason)
        try:
            return self._spec(name, raw, text)
        except SchemaError as error:
            return Quarantined(name=name, reason=str(error))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            return Quarantined(name=name, reason=f"{place}: {first['msg']}")

    def _spec(self, name: str, raw: Mapping[str, Any], text: str) -> ToolSpec:
        raw_annotations = raw.get("annotations")
        annotations = raw_annotations if isinstance(raw_annotations, dict) else {}
        description = raw.get("description")
        title = raw.get("title") or annotations.get("title")
        direct = any(fnmatchcase(name, pattern) for pattern in self.settings.direct_only)
        return ToolSpec(
            name=name,
            description=clean(description) if isinstance(description, str) else "",
            label=clean(title) if isinstance(title, str) and title else None,
            input_schema=input_schema(raw.get("inputSchema"), self.limits, text),
            output_schema=output_schema(raw.get("outputSchema"), self.limits, text),
            annotations=_annotations(annotations),
            catalog_mode="direct-only" if direct else "catalog",
            timeout_ms=self.settings.call_timeout_ms,
        )


def _listing(read: Mapping[str, tuple[str, ToolSpec | Quarantined]], about: str) -> SourceListing:
    digest = hashlib.sha256(about.encode())
    tools: list[ToolSpec] = []
    quarantined: list[Quarantined] = []
    for key in sorted(read):
        text, tool = read[key]
        digest.update(text.encode("utf-8", "surrogatepass"))
        match tool:
            case ToolSpec():
                tools.append(tool)
            case Quarantined():
                quarantined.append(tool)
    return SourceListing(
        generation=digest.hexdigest(), tools=tools, quarantined=quarantined, description=about
    )


def _text(raw: Any) -> str:
    """The tool as compact JSON, by which changes are seen."""
    try:
        return json.dumps(raw, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        return TOO_DEEP


def _annotations(raw: Mapping[str, Any]) -> ToolAnnotations:
    """The hints that are really booleans; what is said in another way is not said."""
    hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    said = {hint: raw[hint] for hint in hints if isinstance(raw.get(hint), bool)}
    return ToolAnnotations.model_validate(said)


def _bad_name(name: str) -> str | None:
    if not name.strip():
        return "its name is empty"
    if len(name) > MAX_NAME:
        return f"its name has {len(name)} characters, over {MAX_NAME}"
    if clean(name) != unicodedata.normalize("NFC", name) or not name.isprintable():
        return "its name holds invisible or control characters"
    return None


def _bad_execution(raw: Mapping[str, Any]) -> str | None:
    match raw.get("execution"):
        case {"taskSupport": "required"}:
            return "it can only be run as a task, which is not supported"
    return None


def _bad_headers(schema: Any) -> str | None:
    from mcp.shared.inbound import find_invalid_x_mcp_header

    reason = find_invalid_x_mcp_header(schema)
    return None if reason is None else f"its header annotation is invalid: {one_line(reason, 200)}"


def _shown(name: str) -> str:
    return one_line(name, _NAME_SHOWN)
