"""What a child says, taken as if it were hostile."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 128
# Decoding stops the host's loop for its time: half a million values are a tenth of a second.
MAX_PARTS = 500_000
MAX_MESSAGE = 8_000

Operation = Literal["search", "describe", "call"]
Level = Literal["log", "warn", "error"]
Ending = Literal["ok", "exception", "syntax", "deadlock", "result_too_large"]

_OPERATIONS = {"search": (1, 2), "describe": (1, 1), "call": (1, 2)}
_LEVELS = ("log", "warn", "error")
_ENDINGS = ("ok", "exception", "syntax", "deadlock", "result_too_large")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# One that is not closed is taken as well, or a line of them would be read from each of them on.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


class ProtocolError(Exception):
    """The child said what it may not; the text names it without repeating it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a child finds before any code came; `compiled` are our scripts, for the next one."""

    version: str
    read: str
    scopes: tuple[str, ...]
    environment: int
    compiled: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Call:
    number: int
    operation: Operation
    arguments: list[Any]


@dataclass(frozen=True, slots=True)
class Log:
    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Idle:
    """The child waits for a reply, having taken `delivered` of them."""

    delivered: int


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The child was interrupted, and has handed in all its logs."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """`call` is the number of the call that failed so, 0 for one that was refused, else -1."""

    name: str
    message: str
    line: int | None
    call: int
    code: str


@dataclass(frozen=True, slots=True)
class Done:
    """The body has ended; `size` is the length of its value as JSON, in bytes."""

    ending: Ending
    value: Any
    thrown: Thrown | None
    open: tuple[int, ...]
    refused: int
    log_cut: int
    size: int


Frame = Hello | Call | Log | Idle | Interrupted | Done


def parse(line: bytes) -> Frame:
    """One line of the child; raises `ProtocolError`."""
    match _json(line):
        case ["c", number, str(operation), list(arguments)]:
            if operation not in _OPERATIONS:
                raise ProtocolError("an unknown operation")
            least, most = _OPERATIONS[operation]
            if not least <= len(arguments) <= most:
                raise ProtocolError("an operation with a wrong number of arguments")
            return Call(_count(number), cast("Operation", operation), arguments)
        case ["l", level, str(text)] if level in _LEVELS:
            return Log(cast("Level", level), text)
        case ["i", delivered]:
            return Idle(_count(delivered))
        case ["x"]:
            return Interrupted()
        case ["d", ending, payload, list(still_open), refused, log_cut] if ending in _ENDINGS:
            failed = ending in {"exception", "syntax"}
            return Done(
                cast("Ending", ending),
                None if failed else payload,
                _thrown(payload) if failed else None,
                tuple(_count(number) for number in still_open),
                _count(refused),
                _count(log_cut),
                len(line),
            )
        case ["hello", dict(greeting)]:
            return _hello(greeting)
        case _:
            raise ProtocolError("a frame of no known form")


def _hello(greeting: dict[str, Any]) -> Hello:
    match greeting:
        case {
            "version": str(version),
            "read": str(read),
            "scopes": list(scopes),
            "environment": environment,
            "compiled": None | dict() as compiled,
        }:
            return Hello(version, read, tuple(map(str, scopes)), _count(environment), compiled)
        case _:
            raise ProtocolError("a greeting of no known form")


def _thrown(payload: Any) -> Thrown:
    match payload:
        case {"name": str(name), "message": str(message), "line": int(line), "call": int(call),
              "code": str(code)}:  # fmt: skip
            known = line if 0 < line <= 1 << 31 else None
            return Thrown(name[:MAX_MESSAGE], message[:MAX_MESSAGE], known, call, code)
        case _:
            raise ProtocolError("an error of no known form")


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= 1 << 31:
        raise ProtocolError("a number that is none")
    return value


def _json(line: bytes) -> Any:
    if _parts(line) > MAX_PARTS and _parts(_TEXT.sub(b"", line)) > MAX_PARTS:
        raise ProtocolError("a value of too many parts")
    try:
        value = _decode(line.decode("utf-8"))
    except ProtocolError:
        raise
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a line that is not JSON") from error
    odd = _SURROGATE.search(line) is not None
    if odd or line.count(b"[") + line.count(b"{") > MAX_DEPTH:
        return _clean(value, MAX_DEPTH)
    return value


def _parts(line: bytes) -> int:
    """How many values the line holds at most, give or take what its texts look like."""
    return line.count(b",") + line.count(b"[") + line.count(b"{")


def _no_constant(_: str) -> Any:
    raise ProtocolError("a number that JSON does not have")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ProtocolError("a number that is too large")
    return value


_decode = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode


def _clean(value: Any, depth: int) -> Any:
    """The value with lone surrogates replaced; raises where it is nested too deeply."""
    if depth == 0:
        raise ProtocolError("a value that is nested too deeply")
    kind = type(value)  # a decoder gives no others, and this is asked of every value
    if kind is str:
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if kind is list:
        return [_clean(item, depth - 1) for item in value]
    if kind is dict:
        return {_clean(key, depth): _clean(item, depth - 1) for key, item in value.items()}
    return value
