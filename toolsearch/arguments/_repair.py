"""Arguments mended where they can be read in exactly one way (S5.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

from ..schemas import Document
from ..text import fold, one_line
from ._json_text import NotJson, parsed, same
from ._problem import ArgumentProblem
from ._scalars import Scalars
from ._shape import Shape, kinds, kinds_of_value

WRAPPERS = ("arguments", "parameters", "params", "input", "args")
_LAYERS = 4  # of wrapping and quoting
_MOST_PATHS = 200
_LONGEST_PATH = 1000


@frozen
class Repaired:
    """Arguments ready for validation, and what was mended, by names of fields only."""

    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


def repair(
    schema: Mapping[str, Any],
    raw: Any,
    *,
    extra: Mapping[str, Any] | None = None,
    called: Collection[str] = (),
) -> Repaired:
    """Read what a model sent as arguments for a tool with this input schema.

    `raw` is what stood as the arguments (None for nothing), `extra` what stood beside them in the
    control call, `called` the id and name of the tool. Mended are: JSON text, a wrapper (`arguments`, `parameters`, `input`, `args`,
    also with `name`), fields beside the arguments, dotted keys, and strings for values of another
    type. A field that the tool declares itself is never taken for anything else, and what was
    right stays as it was.

    Raises `ArgumentProblem` where nothing, or more than one thing, can be meant.
    """
    names = frozenset(map(fold, called))
    work = _Repair(Shape.of(Document(schema), schema), names)
    given = work.unwrapped(work.mapping(raw), 0)
    merged = work.merged(given, work.beside(given, dict(extra or {})))
    merged = work.nested(merged)
    scalars = Scalars(work.shape.document, work.converted)
    return Repaired(scalars.fields(work.shape, merged, "", 0), tuple(work.notes))


@define
class _Repair:
    """The steps, each of which leaves right arguments alone."""

    shape: Shape
    called: frozenset[str]
    notes: list[str] = field(factory=list)

    def mapping(self, raw: Any) -> dict[str, Any]:
        """The arguments as an object."""
        for _ in range(_LAYERS):
            match raw:
                case None:
                    return {}
                case Mapping():
                    return _with_names(raw)
                case str() if not raw.strip():
                    return {}
                case str() if self._is_own_args(raw):
                    return self._own_args(raw)
                case str():
                    raw = self._from_text(raw)
                case _ if self._is_own_args(raw):
                    return self._own_args(raw)
                case _:
                    raise _problem("the arguments are not a JSON object")
        raise _problem("the arguments are quoted more than once")

    def beside(self, given: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
        """What stood beside the arguments: fields, or the arguments once more."""
        wrapped = any(self._wraps(extra, name) for name in WRAPPERS)
        found = self.unwrapped(extra, 0) if wrapped else self.admitted(extra)
        if wrapped and given and found and not same(given, found):
            raise _problem("the arguments are given twice, and differ")
        return found

    def unwrapped(self, value: dict[str, Any], layer: int) -> dict[str, Any]:
        """The arguments without a wrapper around them."""
        found = [name for name in WRAPPERS if self._wraps(value, name)]
        if not found:
            return value
        if layer >= _LAYERS:
            raise _problem("the arguments are wrapped more than once")
        if len(found) > 1:
            raise _problem(f"both `{found[0]}` and `{found[1]}` hold arguments")
        name = found[0]
        inner = self.unwrapped(self.mapping(value[name]), layer + 1)
        around = {key: each for key, each in value.items() if key != name}
        if isinstance(word := around.get("name"), str) and fold(word) in self.called:
            del around["name"]
        self.notes.append(f"taken out of `{name}`")
        return self.merged(inner, self.admitted(around))

    def admitted(self, beside: dict[str, Any]) -> dict[str, Any]:
        """The fields that stood beside the arguments, if the tool may know them all.

        The tool's own name may be repeated there and is no field, unless the tool has it.
        """
        fields = {
            name: value
            for name, value in beside.items()
            if name != "name" or not isinstance(value, str) or self._is_possible(name)
        }
        for name in fields:
            if not self._is_possible(name):
                shown = _named(name)
                raise _problem(f"`{shown}` beside the arguments is not a field of this tool")
        return fields

    def merged(self, given: dict[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
        """Both together, if they agree where they overlap."""
        if not beside:
            return given
        for name, value in beside.items():
            if name in given and not same(given[name], value):
                raise _twice(name)
            self.notes.append(f"`{_named(name)}` taken from beside the arguments")
        return {**given, **beside}

    def nested(self, value: dict[str, Any]) -> dict[str, Any]:
        """Dotted keys put where the schema has them."""
        made: dict[str, Any] = {}
        dotted: list[tuple[tuple[str, ...], str, Any]] = []
        for name, each in value.items():
            if (path := self._dotted(name)) is None:
                made[name] = each
            else:
                dotted.append((path, name, each))
        for path, name, each in dotted:
            made = _placed(made, path, each)
            self.notes.append(f"`{_named(name)}` read as a path")
        return made

    def converted(self, path: str, kind: str) -> None:
        self.notes.append(f"`{one_line(path, 80)}` read as {kind}")

    def _from_text(self, text: str) -> Any:
        try:
            value = parsed(text)
        except NotJson as error:
            raise _problem("the arguments are a string that is not a JSON object") from error
        self.notes.append("read from a JSON string")
        return value

    def _is_own_args(self, raw: Any) -> bool:
        """Whether this can only be a field of the tool that is called `args` itself."""
        if "args" not in self.shape.fields:
            return False
        allowed = kinds(self.shape.document, *self.shape.fields["args"])
        if allowed is None or not kinds_of_value(raw) & allowed:
            return False
        return not isinstance(raw, str) or not isinstance(_parsed_or_none(raw), dict)

    def _own_args(self, raw: Any) -> dict[str, Any]:
        self.notes.append("taken as `args`")
        return {"args": raw}

    def _wraps(self, value: Mapping[str, Any], name: str) -> bool:
        """Whether this field holds the arguments and cannot be one of them."""
        if name not in value:
            return False
        inner = value[name]
        if isinstance(inner, str):
            inner = _parsed_or_none(inner)
        if not isinstance(inner, Mapping):
            return False
        shape = self.shape
        if name not in shape.fields and shape.closed:
            return bool(shape.fields) or not inner
        if name in shape.fields and self._may_be(name, value[name]):
            return False
        complete = bool(shape.needed) and shape.needed <= inner.keys()
        return complete and not shape.needed <= value.keys() - {name}

    def _may_be(self, name: str, value: Any) -> bool:
        """Whether the declared field could have this value, or one that a string stands for."""
        allowed = kinds(self.shape.document, *self.shape.fields[name])
        found = kinds_of_value(value)
        return allowed is None or bool(allowed & (found | {"object"}))

    def _is_possible(self, name: str) -> bool:
        shape = self.shape
        return not shape.closed or name in shape.fields or self._dotted(name) is not None

    def _dotted(self, name: str) -> tuple[str, ...] | None:
        """The path that a dotted key means, where the schema has it and only there."""
        if "." not in name or name in self.shape.fields:
            return None
        readings = set(_paths(self.shape, name))
        first, _, rest = name.partition(".")
        if first in WRAPPERS and first not in self.shape.fields and self.shape.closed:
            if rest in self.shape.fields:
                readings.add((rest,))
            readings |= set(_paths(self.shape, rest))
        if len(readings) > 1:
            raise _problem(f"`{_named(name)}` may mean more than one field")
        return readings.pop() if readings else None


def _paths(shape: Shape, name: str) -> Iterator[tuple[str, ...]]:
    """The ways to read a dotted name along declared fields."""
    open_: list[tuple[Shape, tuple[str, ...], str]] = [(shape, (), name)]
    for _ in range(_MOST_PATHS):
        if not open_:
            return
        here, path, rest = open_.pop()
        if path and rest in here.fields:
            yield (*path, rest)
        for at, char in enumerate(rest[:_LONGEST_PATH]):
            if char == "." and rest[:at] in here.fields:
                open_.append((here.inside(rest[:at]), (*path, rest[:at]), rest[at + 1 :]))
    raise _problem(f"`{_named(name)}` may mean more than one field")


def _with_names(raw: Mapping[Any, Any]) -> dict[str, Any]:
    if not all(isinstance(name, str) for name in raw):
        raise _problem("the arguments have a field whose name is not a string")
    return dict(raw)


def _parsed_or_none(text: str) -> Any:
    try:
        return parsed(text)
    except NotJson:
        return None


def _placed(value: dict[str, Any], path: tuple[str, ...], leaf: Any) -> dict[str, Any]:
    """A copy of the arguments with the leaf at the path."""
    name, *rest = path
    if not rest:
        if name in value and not same(value[name], leaf):
            raise _twice(name)
        return {**value, name: leaf}
    inner = value.get(name, {})
    if not isinstance(inner, dict):
        raise _twice(name)
    return {**value, name: _placed(inner, tuple(rest), leaf)}


def _named(name: str) -> str:
    return one_line(name, 64)


def _twice(name: str) -> ArgumentProblem:
    return _problem(f"`{_named(name)}` is given twice, with different values")


def _problem(reason: str) -> ArgumentProblem:
    return ArgumentProblem(
        f"{reason}. Not executed. Give the arguments as one JSON object with the tool's fields."
    )
