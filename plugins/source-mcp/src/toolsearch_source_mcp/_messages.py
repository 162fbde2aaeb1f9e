"""One line of a server, read as leniently as JSON-RPC allows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._codes import PARSE_ERROR
from ._lines import TooLong

if TYPE_CHECKING:
    from mcp_types import JSONRPCMessage

RAW_KEY = "toolsearch/raw"
"""Where the answer of a server travels, untouched, inside the one that the SDK validates."""

_NOISE_BYTES = 4_096
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class NoMessageError(Exception):
    """A line that is no message: a banner, a log line, half a line."""


def messages_of(line: bytes | TooLong, limit: int) -> Iterator[JSONRPCMessage]:
    """The messages in a line (a batch holds several). Raises `NoMessageError` for what is none.

    What looks like an answer but cannot be read becomes an error answer to its request, so that
    the caller learns of it at once.
    """
    if isinstance(line, TooLong):
        yield _unreadable(line.head + line.tail, f"the answer has {line.size} bytes, over {limit}")
        return
    try:
        parsed = parse(line)
    except (ValueError, RecursionError) as error:
        if not line.lstrip().startswith((b"{", b"[")):
            raise NoMessageError(_shown(line)) from error
        yield _unreadable(line[:512] + line[-512:], "the answer is not readable JSON")
        return
    for item in parsed if isinstance(parsed, list) else [parsed]:
        if not isinstance(item, dict):
            raise NoMessageError(_shown(line))
        yield message_of(item)


def parse(line: bytes) -> Any:
    """The JSON in a line; bytes that are no UTF-8 and lone surrogates become replacement marks."""
    value = json.loads(line.decode("utf-8", "replace"), parse_constant=str)
    return well_formed(value) if _ESCAPED_SURROGATE.search(line) else value


def sendable(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call in a form that can be sent."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        arguments = well_formed(dict(arguments))
    return dict(arguments)


def message_of(item: Mapping[str, Any]) -> JSONRPCMessage:
    """A JSON-RPC message from a mapping that means to be one. Raises `NoMessageError`."""
    from mcp_types import (
        ErrorData,
        JSONRPCError,
        JSONRPCNotification,
        JSONRPCRequest,
        JSONRPCResponse,
    )

    identity = item.get("id")
    match item:
        case {"method": str(method), **rest}:
            params = rest.get("params")
            given = {"params": params} if isinstance(params, dict) else {}
            if isinstance(identity, int | str):
                return JSONRPCRequest(jsonrpc="2.0", id=identity, method=method, **given)
            return JSONRPCNotification(jsonrpc="2.0", method=method, **given)
        case {"error": error} if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            text = error.get("message") if isinstance(error, dict) else error
            data = ErrorData(
                code=code if isinstance(code, int) else PARSE_ERROR,
                message=text if isinstance(text, str) else "the server gave an error",
            )
            known = identity if isinstance(identity, int | str) else None
            return JSONRPCError(jsonrpc="2.0", id=known, error=data)
        case {"result": result} if isinstance(identity, int | str):
            whole = result if isinstance(result, dict) else {RAW_KEY: result}
            return JSONRPCResponse(jsonrpc="2.0", id=identity, result=whole)
    raise NoMessageError("a JSON object that is no message")


def _unreadable(ends: bytes, reason: str) -> JSONRPCMessage:
    from mcp_types import ErrorData, JSONRPCError

    found = _ID.search(ends)
    if found is None:
        raise NoMessageError(reason)
    identity = json.loads(found[1])
    return JSONRPCError(
        jsonrpc="2.0", id=identity, error=ErrorData(code=PARSE_ERROR, message=reason)
    )


def well_formed(value: Any) -> Any:
    """The value with replacement marks for lone surrogates, which no encoding can carry."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {well_formed(key): well_formed(item) for key, item in value.items()}
        case list():
            return [well_formed(item) for item in value]
    return value


def _shown(line: bytes) -> str:
    """Enough to find a secret in, which is hidden before it is cut to what a person is shown."""
    return line[:_NOISE_BYTES].decode("utf-8", "replace")
