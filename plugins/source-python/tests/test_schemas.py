"""From signature, annotations, docstring and stubs to a JSON Schema."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal, NamedTuple, TypedDict

import jsonschema
import pytest
from pydantic import BaseModel, Field

from toolsearch_hookspecs import ErrorCode


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Address(BaseModel):
    street: str
    number: int = Field(gt=0, description="House number")


@dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict, total=False):
    loud: bool
    size: Literal["s", "l"]


class Span(NamedTuple):
    start: int
    end: int = 10


async def test_parameters_become_properties_and_the_required_ones_are_named(function):
    def f(a: int, b: str = "x", *, c: bool = False) -> None: ...

    schema = (await function(f).specs())["f"].input_schema
    assert schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "string", "default": "x"},
            "c": {"type": "boolean", "default": False},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


async def test_a_function_without_parameters_takes_an_empty_object(function):
    def f() -> int:
        return 1

    schema = (await function(f).specs())["f"].input_schema
    assert schema == {"type": "object", "properties": {}, "additionalProperties": False}


GOOGLE = """Measure it.

    A longer text.

    Args:
        width: How wide,
            in metres.
        height (int): How high.

    Returns:
        The area.
    """
NUMPY = """Measure it.

    A longer text.

    Parameters
    ----------
    width : int
        How wide,
        in metres.
    height : int
        How high.

    Returns
    -------
    int
        The area.
    """
REST = """Measure it.

    A longer text.

    :param width: How wide,
        in metres.
    :param int height: How high.
    :returns: The area.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
async def test_a_docstring_describes_the_tool_and_each_parameter(function, text):
    def f(width: int, height: int) -> int:
        return width * height

    f.__doc__ = text
    spec = (await function(f).specs())["f"]
    assert spec.description == "Measure it.\n\nA longer text.\n\nReturns: The area."
    described = {
        name: item["description"] for name, item in spec.input_schema["properties"].items()
    }
    assert described == {"width": "How wide, in metres.", "height": "How high."}


async def test_a_description_in_the_annotation_wins_over_the_docstring(function):
    def f(a: Annotated[int, Field(description="from the annotation", ge=1)]) -> None:
        """Do it.

        Args:
            a: from the docstring
        """

    properties = (await function(f).specs())["f"].input_schema["properties"]
    assert properties["a"] == {
        "type": "integer",
        "minimum": 1,
        "description": "from the annotation",
    }


async def test_types_of_every_kind_are_read_from_json(function):
    def f(
        size: Size, level: Level, address: Address, point: Point, options: Options, span: Span
    ) -> str:
        return repr((size, level, address, point, options, span))

    used = function(f)
    arguments = {
        "size": "s",
        "level": 2,
        "address": {"street": "Elm", "number": 3},
        "point": {"x": 1},
        "options": {"loud": True},
        "span": {"start": 1},
    }
    jsonschema.validate(arguments, (await used.specs())["f"].input_schema)
    assert await used.call("f", **arguments) == repr(
        (
            Size.SMALL,
            Level.HIGH,
            Address(street="Elm", number=3),
            Point(1.0),
            {"loud": True},
            Span(1),
        )
    )


async def test_optional_and_union_are_written_as_lists_of_types(function):
    def f(a: int | None, b: int | str | None = None, c: list[str] | None = None) -> None: ...

    properties = (await function(f).specs())["f"].input_schema["properties"]
    assert properties["a"] == {"type": ["integer", "null"]}
    assert properties["b"] == {"type": ["integer", "string", "null"]}
    assert properties["c"]["anyOf"][0] == {"type": "null"}


async def test_an_untyped_parameter_takes_anything(function):
    def f(a, b=3):
        return [a, b]

    used = function(f)
    schema = (await used.specs())["f"].input_schema
    assert schema["properties"] == {"a": {}, "b": {"default": 3}}
    assert await used.call("f", a={"x": [1]}) == [{"x": [1]}, 3]


async def test_star_arguments_are_an_array_of_their_name(function):
    def f(first: int, *rest: int, last: int = 0) -> list[int]:
        return [first, *rest, last]

    used = function(f)
    schema = (await used.specs())["f"].input_schema
    assert schema["properties"]["rest"] == {"type": "array", "items": {"type": "integer"}}
    assert schema["required"] == ["first"]
    assert await used.call("f", first=1, rest=[2, 3], last=4) == [1, 2, 3, 4]
    assert await used.call("f", first=1) == [1, 0]


async def test_keyword_arguments_are_further_properties_of_their_type(function):
    def f(a: int, **more: int) -> dict[str, int]:
        return {"a": a, **more}

    used = function(f)
    schema = (await used.specs())["f"].input_schema
    assert schema["additionalProperties"] == {"type": "integer"}
    assert await used.call("f", a=1, b=2, c=3) == {"a": 1, "b": 2, "c": 3}
    refused = await used.result("f", {"a": 1, "b": "word"})
    assert refused.error.code is ErrorCode.INVALID_ARGUMENTS


async def test_a_positional_only_parameter_is_given_by_its_name(function):
    def f(a: int, b: int = 2, c: int = 3, /, d: int = 4) -> list[int]:
        return [a, b, c, d]

    used = function(f)
    assert await used.call("f", a=1) == [1, 2, 3, 4]
    assert await used.call("f", a=1, c=9, d=8) == [1, 2, 9, 8]


async def test_parameters_may_be_named_like_anything(function):
    def f(json: int, schema: int, model_config: int, _private: int, copy: int) -> int:
        return json + schema + model_config + _private + copy

    used = function(f)
    assert await used.call("f", json=1, schema=2, model_config=3, _private=4, copy=5) == 15


async def test_a_parameter_that_takes_a_function_is_left_out_when_it_may_be(function):
    def f(items: list[int], key: Callable[[int], int] | None = None) -> list[int]:
        return sorted(items, key=key)

    used = function(f)
    assert list((await used.specs())["f"].input_schema["properties"]) == ["items"]
    assert await used.call("f", items=[2, 1]) == [1, 2]


async def test_a_function_that_needs_a_function_is_quarantined_with_the_reason(function):
    def f(items: list[int], key: type) -> None: ...

    used = function(f)
    assert await used.specs() == {}
    assert await used.quarantined() == {"f": "key: a class cannot be given as JSON"}


async def test_an_annotation_that_names_nothing_is_a_reason_and_not_a_crash(function):
    def f(a: "Missing") -> None: ...  # noqa: F821

    assert await function(f).quarantined() == {"f": "the annotation 'Missing' cannot be resolved"}


async def test_a_type_defined_around_the_function_is_resolved(function):
    class Local(BaseModel):
        n: int

    def f(a: "Local") -> int:
        return Local.model_validate(a).n

    assert await function(f).call("f", a={"n": 3}) == 3


async def test_a_partial_keeps_what_is_still_to_be_given(function):
    def f(a: int, b: int, c: int = 3) -> list[int]:
        return [a, b, c]

    used = function(functools.partial(f, 1))
    schema = (await used.specs())["f"].input_schema
    assert schema["required"] == ["b"]
    assert await used.call("f", b=5) == [1, 5, 3]


async def test_a_decorated_function_shows_the_signature_of_the_one_inside(function):
    def inner(a: int) -> int:
        """Double it."""
        return a * 2

    @functools.wraps(inner)
    def f(*args, **kwargs):
        return inner(*args, **kwargs)

    used = function(f)
    spec = (await used.specs())["f"]
    assert spec.input_schema["properties"] == {"a": {"type": "integer"}}
    assert spec.description == "Double it."
    assert await used.call("f", a=2) == 4


async def test_an_object_that_can_be_called_is_a_tool(function):
    class Adder:
        def __init__(self, by: int) -> None:
            self.by = by

        def __call__(self, a: int) -> int:
            return a + self.by

    assert await function(Adder(3)).call("f", a=1) == 4


async def test_a_stated_return_type_is_the_output_schema(function):
    def f() -> dict[str, list[int]]:
        return {}

    assert (await function(f).specs())["f"].output_schema == {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "integer"}},
    }


async def test_no_stated_return_type_is_no_output_schema(function):
    def f():
        return 1

    assert (await function(f).specs())["f"].output_schema is None


async def test_arguments_that_do_not_fit_name_the_field_and_not_the_value(function):
    def f(address: Address) -> None: ...

    result = await function(f).result("f", {"address": {"street": "secret", "number": -1}})
    assert result.error.code is ErrorCode.INVALID_ARGUMENTS
    assert not result.error.executed
    assert "address.number" in result.error.message
    assert "secret" not in result.error.message


async def test_the_place_of_a_mistake_leads_through_the_arguments_alone(function):
    def f(items: list[IPv4Address | IPv6Address]) -> None: ...

    result = await function(f).result("f", {"items": ["::1", "nowhere"]})
    assert result.error.message == "items.1: Input is not a valid IPv6 address"


async def test_an_unknown_argument_is_refused_and_named(function):
    def f(a: int = 1) -> int:
        return a

    result = await function(f).result("f", {"b": 1})
    assert result.error.message == "unknown: b"
