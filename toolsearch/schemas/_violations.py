"""What is wrong with a value, in words that never quote the value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from attrs import frozen

from ..text import nearest, one_line

MOST_VIOLATIONS = 10
_MOST_NAMES = 100  # that a misspelt one is held against
_MOST_CHOICES = 8
_PLAIN = re.compile(r"[\w.:/+@#$-]{1,40}")
_NAME = re.compile(r"[\w$@.-]{1,64}|[\w$@.-]{1,20}(?: [\w$@.-]{1,20}){1,2}")
_PLAIN_PATTERN = re.compile(r"[!-~]{1,80}")


@frozen
class Violation:
    """One field that does not fit.

    `path` is where (`labels[0].name`; empty for the whole), `message` what the schema wants
    there, `nearest` the known name or choice that was probably meant, `keyword` the keyword of
    JSON Schema that was violated. None of them quotes the value. Names of fields and choices do
    appear, but none that has room for a sentence: strangers write schemas, too.
    """

    path: str
    message: str
    nearest: str | None = None
    keyword: str = ""


UNLIKE = Violation("", "do not fit the schema", None, "native")
"""What only the native validator sees, or jsonschema could not put into words within bounds.

Its own errors are not asked for: each holds a copy of the value, for every failed branch.
"""


def violations(errors: Iterable[Any]) -> list[Violation]:
    """jsonschema's errors as violations: each once, in a fixed order, at most ten."""
    told = (each for error in errors for each in _told(_deciding(error)))
    found = dict.fromkeys(islice(told, 3 * MOST_VIOLATIONS))
    return sorted(found, key=_order)[:MOST_VIOLATIONS]


def unknown(path: Iterable[str | int], meant: str | None) -> Violation:
    """A field that the tool does not have."""
    plain = meant if meant is not None and _NAME.fullmatch(meant) else None
    return Violation(_path(path), "is not a known field", plain, "unknown")


def _order(violation: Violation) -> tuple[int, str, str]:
    return 0 if violation.keyword == "required" else 1, violation.path, violation.message


def _deciding(error: Any) -> Any:
    """Of a failed choice, the error inside the one branch that the value was meant for.

    That is the only branch of the value's own type, where there is just one.
    """
    while error.validator in {"anyOf", "oneOf"} and error.context:
        branches: dict[Any, list[Any]] = {}
        for inner in (each for each in error.context if each.schema_path):
            branches.setdefault(inner.schema_path[0], []).append(inner)
        meant = [
            inner
            for inner in branches.values()
            if not any(
                each.validator in {"type", "const", "enum"} and len(each.relative_path) == 0
                for each in inner
            )
        ]
        if len(meant) != 1:
            break
        error = meant[0][0]
    return error


def _told(error: Any) -> Iterator[Violation]:
    path = list(error.absolute_path)
    at, schema, wanted = error.instance, error.schema, error.validator_value
    match error.validator:
        case "required":
            missing = (name for name in wanted if name not in at)
            strange = [key for key in at if key not in _known(schema)]
            for name in islice(missing, MOST_VIOLATIONS):
                yield Violation(_path([*path, name]), "is required", None, "required")
                if (given := nearest_of(name, strange)) is not None:
                    yield unknown([*path, given], name)
        case "additionalProperties":
            absent = [each for each in _known(schema) if each not in at]
            for name in error.cause.names[:MOST_VIOLATIONS]:
                yield unknown([*path, name], nearest_of(name, absent))
        case "enum" | "const" as keyword:
            choices = wanted if keyword == "enum" else [wanted]
            yield Violation(_path(path), _one_of(choices), _meant(at, choices), keyword)
        case keyword:
            yield Violation(_path(path), _message(keyword, wanted, at), None, keyword or "false")


def _message(keyword: str | None, wanted: Any, at: Any) -> str:
    match keyword:
        case "type":
            kinds = wanted if isinstance(wanted, list) else [wanted]
            return f"must be {' or '.join(map(_article, kinds))}, not {_kind(at)}"
        case "pattern":
            shown = f" {wanted}" if _PLAIN_PATTERN.fullmatch(wanted) else " in its schema"
            return f"must match the pattern{shown}"
        case "minimum":
            return f"must be at least {wanted}"
        case "maximum":
            return f"must be at most {wanted}"
        case "exclusiveMinimum":
            return f"must be more than {wanted}"
        case "exclusiveMaximum":
            return f"must be less than {wanted}"
        case "multipleOf":
            return f"must be a multiple of {wanted}"
        case "minLength":
            return f"must have at least {wanted} characters"
        case "maxLength":
            return f"must have at most {wanted} characters"
        case "minItems":
            return f"must have at least {wanted} items"
        case "maxItems":
            return f"must have at most {wanted} items"
        case "minProperties":
            return f"must have at least {wanted} fields"
        case "maxProperties":
            return f"must have at most {wanted} fields"
        case "uniqueItems":
            return "must not hold the same item twice"
        case "anyOf":
            return "fits none of the allowed forms"
        case "oneOf":
            return "must fit exactly one of the allowed forms"
        case "not" if wanted is True:
            return "is not allowed"
        case "not":
            return "has a form that is not allowed"
        case "contains":
            return "must hold an item of the form in its schema"
        case "dependentRequired" | "dependencies":
            return "needs another field beside those given"
        case "unevaluatedProperties":
            return "has a field that is not known"
        case "unevaluatedItems" | "additionalItems" | "items":
            return "has more items than allowed"
        case None:
            return "is not allowed"
        case _:
            return f"does not fit {one_line(keyword, 40)}"


def nearest_of(name: str, names: Sequence[str]) -> str | None:
    """The one that was probably meant, of the first hundred."""
    return next(iter(nearest(name, names[:_MOST_NAMES], 1)), None)


def _known(schema: Any) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def _one_of(choices: list[Any]) -> str:
    shown = [_choice(each) for each in choices[:_MOST_NAMES]]
    plain = [each for each in shown if each is not None][:_MOST_CHOICES]
    more = len(choices) - len(plain)
    if not plain:
        return "must be one of the values in its schema"
    return f"must be one of {', '.join(plain)}" + (f" or {more} more" if more else "")


def _choice(value: Any) -> str | None:
    """A choice as shown: plain words and numbers only, since a stranger wrote it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)[:24]
        case str() if _PLAIN.fullmatch(value):
            return f'"{value}"'
        case _:
            return None


def _meant(value: Any, choices: list[Any]) -> str | None:
    if not isinstance(value, str):
        return None
    words = (each for each in choices if isinstance(each, str) and _PLAIN.fullmatch(each))
    return nearest_of(value, list(islice(words, _MOST_NAMES)))


def _path(steps: Iterable[str | int]) -> str:
    shown = ""
    for step in steps:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            name = step if _NAME.fullmatch(step) else "…"
            shown += f".{name}" if shown else name
    return shown


def _article(kind: str) -> str:
    match kind:
        case "array" | "integer" | "object":
            return f"an {kind}"
        case "null":
            return kind
        case _:
            return f"a {kind}"


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"
