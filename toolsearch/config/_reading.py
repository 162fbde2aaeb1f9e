"""Reading a value of the configuration into a type, with errors for the person who wrote it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from ._tree import Path, spoken

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Told = Callable[[str], None]

_WORDING = {
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "int_type": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "finite_number": "should be a finite number",
    "string_type": "should be a text",
    "tuple_type": "should be a list",
    "list_type": "should be a list",
    "set_type": "should be a list",
    "dict_type": "should be an object",
    "mapping_type": "should be an object",
    "model_type": "should be an object",
    "model_attributes_type": "should be an object",
    "none_required": "should be null",
    "missing": "is needed, and is not there",
}


@attrs.frozen
class Problem:
    """Something in the configuration that cannot be used. `at_key`: the key is what is wrong."""

    path: Path
    message: str
    at_key: bool = False


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    plain = {known_word.lower().replace("_", ""): known_word for known_word in known}
    close = difflib.get_close_matches(word.lower().replace("_", ""), plain, n=1, cutoff=0.6)
    return plain[close[0]] if close else None


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """`unknown plugin "index-whosh"; did you mean "index-whoosh"?`, or what there is."""
    return f'unknown {kind} "{word}"{_instead(word, known)}'


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The same for a key, which the message already begins with."""
    return f"unknown key{_instead(key, known)}"


def _instead(word: str, known: Iterable[str]) -> str:
    known = sorted(known)
    close = nearest(word, known)
    if close is not None:
        return f'; did you mean "{close}"?'
    return f"; there is {', '.join(known)}" if known else ""


def read_own(
    type_: Any, value: Any, path: Path, *, clamped: Told | None = None
) -> tuple[Any, list[Problem]]:
    """Read a section of the host's own, strictly: a text is no number and no `true`."""
    text = json.dumps(value, default=str)
    adapter = TypeAdapter[Any](type_)
    context = {"clamped": clamped}
    try:
        return adapter.validate_json(
            text, strict=True, context=context, by_alias=True, by_name=False
        ), []
    except ValidationError as error:
        return None, problems(error, adapter, value, path)


def read_plugin(
    type_: Any, value: Any, path: Path, *, clamped: Told | None = None
) -> tuple[Any, list[Problem]]:
    """Read what a plugin declared, by the rules of its own type."""
    adapter = TypeAdapter[Any](type_)
    context = {"clamped": clamped}
    try:
        return adapter.validate_python(value, context=context, by_alias=True, by_name=False), []
    except ValidationError as error:
        return None, problems(error, adapter, value, path)


def problems(
    error: ValidationError, adapter: TypeAdapter[Any], value: Any, path: Path
) -> list[Problem]:
    """One problem for each place; the branches of a union that failed there are joined."""
    places: dict[tuple[Path, bool], list[str]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        inner, at_key = _path(detail, value)
        messages = places.setdefault(((*path, *inner), at_key), [])
        message = _message(detail, adapter, inner)
        if message not in messages:
            messages.append(message)
    return [Problem(here, ", or ".join(said), key) for (here, key), said in places.items()]


def _path(detail: ErrorDetails, value: Any) -> tuple[Path, bool]:
    """The steps of pydantic's location that exist in the value: the others are union branches."""
    steps: list[str | int] = []
    at_key = detail["type"] == "extra_forbidden"
    for step in detail["loc"]:
        match value, step:
            case Mapping(), str() if step in value:
                value = value[step]
                steps.append(step)
            case ((list() | tuple()), int()) if step < len(value):
                value = value[step]
                steps.append(step)
            case _, "[key]":
                at_key = True
            case _:
                pass
    if detail["type"] == "missing":
        steps.append(detail["loc"][-1])
    return tuple(steps), at_key


def _message(detail: ErrorDetails, adapter: TypeAdapter[Any], path: Path) -> str:
    match detail["type"]:
        case "extra_forbidden":
            return unknown_key(str(path[-1]), _known_keys(adapter, path[:-1]))
        case kind if kind in _WORDING:
            return _WORDING[kind]
        case _:
            message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
            return message.replace("Input should", "should", 1)


def _known_keys(adapter: TypeAdapter[Any], path: Path) -> set[str]:
    """The keys that may stand at a path, by the type's own JSON Schema."""
    try:
        schema = adapter.json_schema(by_alias=True)
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError):
        return set()
    here = list(_branches(schema, schema))
    for step in path:
        here = [
            branch
            for above in here
            for below in _step(above, step)
            for branch in _branches(below, schema)
        ]
    return {key for branch in here for key in branch.get("properties", {})}


def _branches(schema: Any, whole: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    if not isinstance(schema, Mapping):
        return
    if "$ref" in schema:
        yield from _branches(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole)
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(keyword, ()):
            yield from _branches(branch, whole)
    yield schema


def _step(schema: Mapping[str, Any], step: str | int) -> Iterable[Any]:
    if isinstance(step, int):
        yield schema.get("items")
    elif step in schema.get("properties", {}):
        yield schema["properties"][step]
    else:
        yield schema.get("additionalProperties")


def said(problem: Problem, place: str) -> str:
    """One line: the place in the file where there is one, the key, and what is wrong."""
    key = spoken(problem.path)
    return f"{place}: {key}: {problem.message}" if place != key else f"{key}: {problem.message}"
