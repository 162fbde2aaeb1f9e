"""The JSON form of Python types: what a parameter accepts, and what a result is said to be.

Pydantic has a form for most types. This module rewrites an annotation into one that pydantic can
read from JSON, so that the others have a stated form too (the README lists them), and refuses
those that JSON cannot express.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import enum
import fractions
import functools
import operator
import types
import typing
import zoneinfo
from collections import abc
from typing import Annotated, Any, Literal

import typing_extensions
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, TypeAdapter
from pydantic import WithJsonSchema as Schema
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

if typing.TYPE_CHECKING:
    from collections.abc import Callable

Direction = Literal["in", "out"]
NUMBER_OR_TEXT = Schema({"type": ["number", "string"]})
BYTES = Schema(
    {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"base64": {"type": "string", "contentEncoding": "base64"}},
                "required": ["base64"],
                "additionalProperties": False,
            },
        ]
    }
)
ITERATORS = (abc.Iterator, abc.Generator)
ASYNC_ITERABLES = (abc.AsyncIterable, abc.AsyncIterator, abc.AsyncGenerator)
LISTS = (
    abc.Iterable,
    abc.Collection,
    abc.Container,
    abc.Reversible,
    abc.Sequence,
    abc.MutableSequence,
    abc.KeysView,
    abc.ValuesView,
    *ITERATORS,
    *ASYNC_ITERABLES,
)
SETS = (abc.Set, abc.MutableSet)
UNIONS = (typing.Union, types.UnionType)
PLAIN = (str, int, bool, types.NoneType, dict, list, tuple, set, frozenset)
BUFFERS: tuple[Any, ...] = (bytes, bytearray, memoryview, typing_extensions.Buffer)


class NotJson(Exception):
    """JSON cannot express a value of this type."""


Number = Annotated[int | float, Schema({"type": "number"})]


def accepted(annotation: Any) -> Any:
    """The annotation that reads this type from JSON; raises `NotJson`."""
    return _rewritten(annotation, "in", ())


def produced(annotation: Any) -> Any:
    """The annotation whose schema describes a result of this type; `Any` says nothing."""
    return _rewritten(annotation, "out", ())


def _rewritten(annotation: Any, way: Direction, inside: tuple[Any, ...]) -> Any:
    if annotation in inside:  # a recursive TypedDict or NamedTuple ends in "anything"
        return Any
    seen = (*inside, annotation)
    again = functools.partial(_rewritten, way=way, inside=seen)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    match annotation:
        case typing.Any | typing_extensions.Any:
            return Any
        case None:
            return None
        case typing.TypeVar():
            return again(_upper_bound(annotation))
        case typing.NewType():
            return again(annotation.__supertype__)
        case typing_extensions.TypeAliasType():
            return again(annotation.__value__)
        case _ if annotation in (typing.LiteralString, typing_extensions.LiteralString):
            return str
        case _ if origin is Annotated:
            return Annotated[(again(args[0]), *annotation.__metadata__)]
        case _ if origin in UNIONS:
            return _union(args, again, way)
        case _ if origin is Literal or origin is typing_extensions.Literal:
            return annotation
        case _ if origin in (typing.Required, typing.NotRequired, typing.Final, typing.ClassVar):
            return again(args[0])
        case _:
            return _container(annotation, origin, args, again, way)


def _upper_bound(variable: typing.TypeVar) -> Any:
    if variable.__constraints__:
        return functools.reduce(operator.or_, variable.__constraints__)
    return Any if variable.__bound__ is None else variable.__bound__


def _union(members: tuple[Any, ...], again: Callable[[Any], Any], way: Direction) -> Any:
    """The members that JSON can express; a value of another one cannot be given."""
    kept, reasons = [], []
    for member in members:
        try:
            kept.append(again(member))
        except NotJson as reason:
            reasons.append(str(reason))
    if not [member for member in kept if member not in (None, types.NoneType)] and reasons:
        raise NotJson("; ".join(reasons))
    if way == "out" and any(member is Any for member in kept):
        return Any
    return typing.Union[tuple(kept)]  # noqa: UP007 - built at run time


def _container(
    annotation: Any, origin: Any, args: tuple[Any, ...], again: Callable[[Any], Any], way: Direction
) -> Any:
    kind = origin or annotation
    item = again(args[0]) if args and kind in (*LISTS, *SETS) else Any
    match kind:
        case _ if kind in SETS:
            return _set_of(item)
        case _ if kind in ASYNC_ITERABLES:
            return _list(item, way, _asynchronous)
        case _ if kind in ITERATORS:
            return _list(item, way, iter)
        case _ if kind in LISTS:
            return _list_of(item)
        case abc.Callable:
            return _refused("a function", way)
        case _ if kind is type:
            return _refused("a class", way)
        case _ if origin is not None and isinstance(origin, type) and _is_generic(origin):
            rewritten = tuple(arg if arg is ... else again(arg) for arg in args)
            return _generic(origin, rewritten) if rewritten else annotation
        case _ if isinstance(annotation, type):
            return _class(annotation, again, way)
        case _:
            return _checked(annotation, way)


def _generic(origin: Any, args: tuple[Any, ...]) -> Any:
    return origin[args]


def _is_generic(origin: type) -> bool:
    """Whether pydantic reads this container by its arguments, and its items can be rewritten."""
    return origin in PLAIN or origin.__module__ in ("collections", "collections.abc")


def _list(item: Any, way: Direction, made: Callable[[Any], Any]) -> Any:
    items = _list_of(item)
    return Annotated[items, AfterValidator(made)] if way == "in" else items


def _set_of(item: Any) -> Any:
    return set.__class_getitem__(item)


def _list_of(item: Any) -> Any:
    return list.__class_getitem__(item)


async def _asynchronous(items: list[Any]) -> Any:
    for item in items:
        yield item


def _class(kind: type, again: Callable[[Any], Any], way: Direction) -> Any:
    match kind:
        case _ if kind is object:
            return Any
        case _ if kind is float:
            return float if way == "in" else Annotated[float, NUMBER_OR_TEXT]
        case _ if kind in PLAIN:
            return kind
        case _ if kind in BUFFERS:
            made = bytes if kind not in (bytearray, memoryview) else kind
            return Annotated[Any, BeforeValidator(_bytes), AfterValidator(_calling(made)), BYTES]
        case _ if kind in (decimal.Decimal, fractions.Fraction):
            return Annotated[kind, BeforeValidator(_exact), NUMBER_OR_TEXT]
        case _ if kind is complex:
            return Annotated[complex, NUMBER_OR_TEXT]
        case _ if kind is dt.tzinfo:
            return zoneinfo.ZoneInfo
        case _ if kind is range and way == "out":
            return list[int]
        case _ if issubclass(kind, enum.Flag):
            return Annotated[int, AfterValidator(_calling(kind))]
        case _ if issubclass(kind, enum.Enum):
            return _enumeration(kind)
        case _ if typing_extensions.is_typeddict(kind):
            return _typed_dict(kind, again)
        case _ if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return _named_tuple(kind, again, way)
        case _ if issubclass(kind, BaseModel):
            return kind
        case _:
            return _checked(kind, way)


def _calling(kind: Any) -> Callable[[Any], Any]:
    """A function of one parameter: pydantic looks at the signature, and those of classes vary."""
    return lambda value: kind(value)  # noqa: PLW0108


def _bytes(value: Any) -> bytes:
    match value:
        case str():
            return value.encode()
        case {"base64": str(encoded), **rest} if not rest:
            return base64.b64decode(encoded, validate=True)
        case _:
            raise ValueError('give text, or {"base64": "..."}')


def _exact(value: Any) -> Any:
    """A decimal number as it was written, not as binary floating point holds it.

    The exponent is bounded: `1e999999999` is short to write, and not to compute with.
    """
    if isinstance(value, str):
        _, _, exponent = value.lower().partition("e")
        if len(exponent) > len("-9999"):
            raise ValueError("the exponent has more than four digits")
    return repr(value) if isinstance(value, float) else value


def _enumeration(kind: type[enum.Enum]) -> Any:
    if all(isinstance(member.value, str | int | float) for member in kind):
        return kind
    names = Literal[tuple(kind.__members__)]  # type: ignore[valid-type]
    return Annotated[names, AfterValidator(kind.__getitem__)]


def _typed_dict(kind: type, again: Callable[[Any], Any]) -> Any:
    """Rebuilt, since pydantic takes only that of `typing_extensions` before Python 3.12."""
    required: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]
    fields = {
        name: again(hint) if name in required else typing_extensions.NotRequired[again(hint)]
        for name, hint in typing_extensions.get_type_hints(kind, include_extras=True).items()
    }
    return _rebuilt(kind.__name__, fields)


def _rebuilt(name: str, fields: dict[str, Any]) -> Any:
    make: Any = typing_extensions.TypedDict
    return make(name, fields)


def _named_tuple(kind: Any, again: Callable[[Any], Any], way: Direction) -> Any:
    hints = typing.get_type_hints(kind, include_extras=True)
    optional = kind._field_defaults if way == "in" else ()
    fields = {}
    for name in kind._fields:
        form = again(hints.get(name, Any))
        fields[name] = typing_extensions.NotRequired[form] if name in optional else form
    rebuilt = _rebuilt(kind.__name__, fields)
    rebuilt.__pydantic_config__ = ConfigDict(extra="forbid")
    return Annotated[rebuilt, AfterValidator(lambda given: kind(**given))]


def _checked(annotation: Any, way: Direction) -> Any:
    try:
        TypeAdapter(annotation).json_schema(mode="validation" if way == "in" else "serialization")
    except (PydanticSchemaGenerationError, PydanticUserError, TypeError):
        name = getattr(annotation, "__qualname__", None) or str(annotation)
        return _refused(f"a value of {name}", way)
    return annotation


def _refused(what: str, way: Direction) -> Any:
    if way == "out":
        return Any
    raise NotJson(f"{what} cannot be given as JSON")
