"""Operations of a document as tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import attrs

from toolsearch_hookspecs import ToolAnnotations, ToolSpec

from ._bodies import BODY, Body, body_of
from ._document import Document
from ._schemas import Bundle

METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace")
READING = frozenset({"get", "head", "options", "trace"})
ODD = re.compile(r"[^A-Za-z0-9_.-]+")
LONGEST = 100


@attrs.frozen
class Parameter:
    """Where one argument goes: `place` is `path`, `query`, `header` or `cookie`.

    `style` is OpenAPI's word for how a value is written, or `json` for one that is JSON.
    """

    argument: str
    name: str
    place: str
    style: str
    explode: bool
    schema: Any
    required: bool
    description: str


@attrs.frozen(eq=False)
class Operation:
    """One operation, and the tool that stands for it."""

    spec: ToolSpec
    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Body
    security: Sequence[Mapping[str, Any]]


def operations(
    document: Document, wanted: Sequence[str], unwanted: Sequence[str]
) -> dict[str, Operation]:
    """The operations by the names of their tools, which are unique."""
    found = list(_raw(document))
    counts = Counter(_named(operation, method, path) for method, path, operation, _ in found)
    made: dict[str, Operation] = {}
    for method, path, operation, shared in found:
        name = _named(operation, method, path)
        if counts[name] > 1 or name in made:
            name = _slug(f"{method} {path}")
        if name in made or not _is_wanted(name, wanted, unwanted):
            continue
        made[name] = _operation(document, name, method, path, operation, shared)
    return made


def _raw(document: Document) -> Iterator[tuple[str, str, Mapping[str, Any], Sequence[Any]]]:
    paths = document.content.get("paths")
    for path, item in (paths if isinstance(paths, Mapping) else {}).items():
        known = document.resolved(item)
        shared = known.get("parameters")
        for method in METHODS:
            operation = known.get(method)
            if isinstance(operation, Mapping):
                yield method, str(path), operation, shared if isinstance(shared, list) else ()


def _operation(
    document: Document,
    name: str,
    method: str,
    path: str,
    operation: Mapping[str, Any],
    shared: Sequence[Any],
) -> Operation:
    bundle = Bundle(document)
    own = operation.get("parameters")
    parameters = _parameters(document, bundle, [*shared, *(own if isinstance(own, list) else ())])
    body = body_of(document, bundle, operation)
    schema = _input_schema(bundle, parameters, body)
    security = operation.get("security", document.content.get("security"))
    return Operation(
        spec=ToolSpec(
            name=name,
            description=_text(operation, method, path),
            input_schema=schema,
            annotations=_annotations(method),
            groups=tuple(f"{tag}" for tag in operation.get("tags") or () if isinstance(tag, str)),
        ),
        method=method,
        path=path,
        parameters=parameters,
        body=body,
        security=[each for each in security or () if isinstance(each, Mapping)],
    )


def _parameters(document: Document, bundle: Bundle, given: Sequence[Any]) -> tuple[Parameter, ...]:
    """A later one of the same name and place takes the earlier one's."""
    by_place: dict[tuple[str, str], Mapping[str, Any]] = {}
    for each in map(document.resolved, given):
        if isinstance(each.get("name"), str) and each.get("in") in STYLES:
            by_place[each["name"], each["in"]] = each
    counts = Counter(name for name, _ in by_place)
    made = []
    for (name, place), each in by_place.items():
        content = each.get("content")
        schema, style = each.get("schema"), str(each.get("style") or STYLES[place])
        if schema is None and isinstance(content, Mapping) and content:
            schema = document.resolved(next(iter(content.values()))).get("schema")
            style = "json"
        made.append(
            Parameter(
                argument=f"{place}_{name}" if counts[name] > 1 or name == BODY else name,
                name=name,
                place=place,
                style=style,
                explode=bool(each.get("explode", style in {"form", "deepObject"})),
                schema=bundle.schema(schema),
                required=place == "path" or each.get("required") is True,
                description=str(each.get("description") or ""),
            )
        )
    return tuple(made)


STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}


def _input_schema(bundle: Bundle, parameters: Sequence[Parameter], body: Body) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for parameter in parameters:
        schema = parameter.schema if isinstance(parameter.schema, dict) else {}
        said = {"description": parameter.description} if parameter.description else {}
        properties[parameter.argument] = {**said, **schema} if "$ref" not in schema else schema
    required = [parameter.argument for parameter in parameters if parameter.required]
    if body.media is not None:
        properties[BODY] = body.schema
        required += [BODY] if body.required else []
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if not bundle.fits(schema):
        bundle.definitions.clear()
        too_large = {"description": "Its schema is too large to be shown."}
        loose = dict.fromkeys(properties, too_large)
        return {**schema, "properties": loose}
    if bundle.definitions:
        schema["$defs"] = dict(bundle.definitions)
    return schema


def _named(operation: Mapping[str, Any], method: str, path: str) -> str:
    given = operation.get("operationId")
    return _slug(given if isinstance(given, str) and given.strip() else f"{method} {path}")


def _slug(text: str) -> str:
    return ODD.sub("_", text).strip("_.-")[:LONGEST] or "operation"


def _is_wanted(name: str, wanted: Sequence[str], unwanted: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in wanted) and not any(
        fnmatchcase(name, pattern) for pattern in unwanted
    )


def _text(operation: Mapping[str, Any], method: str, path: str) -> str:
    said = [operation.get("summary"), operation.get("description")]
    texts = [text.strip() for text in said if isinstance(text, str) and text.strip()]
    return "\n\n".join(dict.fromkeys(texts)) or f"{method.upper()} {path}"


def _annotations(method: str) -> ToolAnnotations:
    reads = method in READING
    return ToolAnnotations(
        read_only=reads,
        destructive=False if reads else (True if method == "delete" else None),
        idempotent=True if reads or method in {"put", "delete"} else None,
        open_world=True,
    )
