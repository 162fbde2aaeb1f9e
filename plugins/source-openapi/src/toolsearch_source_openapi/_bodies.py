"""What an operation takes as its body: the form it is sent in, and the schema of the argument."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from ._document import Document
from ._schemas import Bundle

BODY = "body"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
ONE_MEDIA = re.compile(r"[\w.+-]+/[\w.+-]+")
FILE = {
    "type": "object",
    "description": "A file: its name, and its content as text or in base64.",
    "properties": {
        "filename": {"type": "string"},
        "text": {"type": "string"},
        "base64": {"type": "string"},
    },
    "required": ["filename"],
    "oneOf": [{"required": ["text"]}, {"required": ["base64"]}],
    "additionalProperties": False,
}


@attrs.frozen
class Body:
    """`media` is None where there is none. Of a form's fields, `joined` are those whose lists are
    one value with commas, `files` those that are sent as files, and `kinds` the media types of those
    that have one of their own.
    """

    media: str | None = None
    schema: Any = None
    required: bool = False
    joined: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = attrs.field(factory=dict)


def body_of(document: Document, bundle: Bundle, operation: Mapping[str, Any]) -> Body:
    """The body as JSON, as a form or in parts, where one of these is taken, else as text in the
    document's first form. JSON gives way to parts where it would hold files.
    """
    body = document.resolved(operation.get("requestBody"))
    content = body.get("content")
    if not isinstance(content, Mapping) or not content:
        return Body()
    required = body.get("required") is True
    taken = [m for form in (JSON, FORM, MULTIPART) for m in content if is_media(m, form)]
    if not taken:
        return Body(str(next(iter(content))), {"type": "string"}, required)
    in_parts = next((media for media in taken if is_media(media, MULTIPART)), None)
    media, described = taken[0], document.resolved(content[taken[0]])
    schema, files = _with_files(bundle, bundle.schema(described.get("schema")))
    if in_parts is not None and media != in_parts and files:
        media, described = in_parts, document.resolved(content[in_parts])
        schema, files = _with_files(bundle, bundle.schema(described.get("schema")))
    joined, kinds = _encoded(described.get("encoding"))
    if is_media(media, MULTIPART):
        return Body(str(media), schema, required, joined, files, kinds)
    return Body(str(media), bundle.schema(described.get("schema")), required, joined)


def is_media(media: Any, form: str) -> bool:
    """Whether a media type is of a form; what ends in `+json` is JSON."""
    plain = str(media).partition(";")[0].strip().lower()
    return plain == form or (form == JSON and plain.endswith("+json"))


def is_file(schema: Any) -> bool:
    """Whether a field holds bytes, in the words of 3.0 or 3.1."""
    return isinstance(schema, Mapping) and (
        schema.get("format") in {"binary", "byte"}
        or ("contentMediaType" in schema and schema.get("type", "string") == "string")
    )


def _with_files(bundle: Bundle, schema: Any) -> tuple[Any, frozenset[str]]:
    """An object in which each field of bytes is a file, and the names of those fields."""
    plain = bundle.resolved(schema)
    properties = plain.get("properties")
    if not isinstance(properties, Mapping):
        return schema, frozenset()
    fields = {name: _field(bundle, each) for name, each in properties.items()}
    files = frozenset(name for name, each in fields.items() if each is not properties[name])
    return {**plain, "properties": fields}, files


def _field(bundle: Bundle, schema: Any) -> Any:
    plain = bundle.resolved(schema)
    if is_file(plain):
        said = plain.get("description")
        return {
            **FILE,
            "description": f"{said} {FILE['description']}" if said else FILE["description"],
        }
    if is_file(bundle.resolved(plain.get("items"))):
        return {**plain, "items": FILE}
    for word in ("anyOf", "oneOf"):
        options = plain.get(word)
        fields = [_field(bundle, each) for each in options] if isinstance(options, list) else []
        if any(field is not each for field, each in zip(fields, options or (), strict=True)):
            return {**plain, word: fields}
    return schema


def _encoded(encoding: Any) -> tuple[frozenset[str], dict[str, str]]:
    """The fields that are joined, and the media types of those for which there is one."""
    fields = {
        str(name): said
        for name, said in (encoding.items() if isinstance(encoding, Mapping) else ())
        if isinstance(said, Mapping)
    }
    kinds = {name: said.get("contentType") for name, said in fields.items()}
    return (
        frozenset(name for name, said in fields.items() if said.get("explode") is False),
        {n: k for n, k in kinds.items() if isinstance(k, str) and ONE_MEDIA.fullmatch(k)},
    )
