"""From arguments to a request to the one server."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import attrs

from toolsearch_hookspecs import ToolError

from ._bodies import BODY, FORM, JSON, MULTIPART, is_media
from ._document import Document
from ._multipart import multipart
from ._operations import Operation, Parameter
from ._values import joined, scalar


@attrs.frozen
class Request:
    """What is sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


@attrs.define
class Credentials:
    """What the security schemes of a call add, and the secrets in it."""

    headers: dict[str, str] = attrs.Factory(dict)
    query: list[tuple[str, str]] = attrs.Factory(list)
    cookies: list[str] = attrs.Factory(list)
    secrets: set[str] = attrs.Factory(set)


def request_of(
    operation: Operation, arguments: Mapping[str, Any], server: str, credentials: Credentials
) -> Request:
    """Raises ToolError for arguments that cannot be put into a request."""
    path, query = operation.path, list(credentials.query)
    headers, cookies = {"accept": "application/json, */*;q=0.5"}, list(credentials.cookies)
    for parameter in operation.parameters:
        if parameter.argument not in arguments:
            continue
        value = arguments[parameter.argument]
        match parameter.place:
            case "path":
                path = path.replace(f"{{{parameter.name}}}", _segment(parameter, value))
            case "query":
                query += _pairs(parameter, value)
            case "header":
                headers[parameter.name.lower()] = _line(parameter, value)
            case "cookie":
                cookies.append(f"{parameter.name}={quote(joined(value), safe='')}")
    if "{" in path:
        raise ToolError("a parameter of the path is missing")
    content = _content(operation, arguments, headers)
    if cookies:
        headers["cookie"] = "; ".join(cookies)
    question = f"?{urlencode(query)}" if query else ""
    return Request(
        operation.method.upper(),
        f"{server}{quote(path, safe='/%:@!$&()*+,;=~-._')}{question}",
        {**headers, **credentials.headers},
        content,
    )


def credentials_of(
    operation: Operation, document: Document, values: Mapping[str, str]
) -> Credentials:
    """What the first requirement adds that can be met. Raises ToolError where none can."""
    if not operation.security:
        return Credentials()
    for requirement in operation.security:
        if all(name in values for name in requirement):
            made = Credentials()
            for name in requirement:
                _add(made, document, name, values[name])
            return made
    needed = " or ".join(" and ".join(map(str, each)) for each in operation.security)
    raise ToolError(f"this operation needs {needed}, which the operator has not set up")


def _add(made: Credentials, document: Document, name: str, value: str) -> None:
    made.secrets.add(value)
    match document.resolved(document.at(f"#/components/securitySchemes/{name}")):
        case {"type": "apiKey", "in": "query", "name": str(key)}:
            made.query.append((key, value))
        case {"type": "apiKey", "in": "cookie", "name": str(key)}:
            made.cookies.append(f"{key}={value}")
        case {"type": "apiKey", "name": str(key)}:
            made.headers[key.lower()] = value
        case {"type": "http", "scheme": str(scheme)} if scheme.lower() == "basic":
            encoded = base64.b64encode(value.encode()).decode()
            made.secrets.add(encoded)
            made.headers["authorization"] = f"Basic {encoded}"
        case _:
            made.headers["authorization"] = f"Bearer {value}"


def _content(
    operation: Operation, arguments: Mapping[str, Any], headers: dict[str, str]
) -> bytes | None:
    media = operation.body.media
    if media is None or BODY not in arguments:
        return None
    headers["content-type"] = media
    body = arguments[BODY]
    try:
        if is_media(media, FORM) and isinstance(body, Mapping):
            return urlencode(_fields(operation, body), errors="replace").encode()
        if is_media(media, MULTIPART) and isinstance(body, Mapping):
            headers["content-type"], content = multipart(body, operation.body)
            return content
        if isinstance(body, str) and not is_media(media, JSON):
            return body.encode(errors="replace")
        return json.dumps(body, allow_nan=False).encode()
    except ValueError as error:
        raise ToolError("the body is no JSON") from error


def _fields(operation: Operation, body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The fields of a form: a list is said item by item, unless the document says otherwise."""
    pairs: list[tuple[str, str]] = []
    for name, value in body.items():
        match value:
            case [*items] if name not in operation.body.joined:
                pairs += [(name, scalar(item)) for item in items]
            case _:
                pairs.append((name, joined(value)))
    return pairs


def _segment(parameter: Parameter, value: Any) -> str:
    """One segment of the path: nothing in it can lead to another path."""
    text = quote(joined(value), safe="", errors="replace")
    if text in {"", ".", ".."}:
        raise ToolError(f"{parameter.argument} cannot be {text!r}")
    return text


def _pairs(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    name = parameter.name
    match parameter.style, value:
        case _, None:
            return []
        case "json", _:
            return [(name, json.dumps(value, ensure_ascii=False))]
        case "deepObject", Mapping():
            return [(f"{name}[{key}]", joined(item)) for key, item in value.items()]
        case _, [*items] if parameter.explode:
            return [(name, scalar(item)) for item in items]
        case _, Mapping() if parameter.explode:
            return [(str(key), joined(item)) for key, item in value.items()]
        case _:
            return [(name, joined(value, BETWEEN.get(parameter.style, ",")))]


BETWEEN = {"spaceDelimited": " ", "pipeDelimited": "|"}


def _line(parameter: Parameter, value: Any) -> str:
    text = joined(value)
    if not text.isprintable() or not text.isascii():
        raise ToolError(f"{parameter.argument} must be printable ASCII: it is sent as a header")
    return text
