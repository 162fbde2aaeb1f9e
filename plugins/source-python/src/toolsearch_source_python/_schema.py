"""JSON Schemas of arguments and results, and the model that reads arguments from JSON."""

from __future__ import annotations

from inspect import Parameter
from typing import TYPE_CHECKING, Any

import attrs
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from ._forms import NotJson, accepted, produced
from ._values import json_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._signatures import Argument, Signature

MAX_DEFAULT = 200


class Untitled(GenerateJsonSchema):
    """Leaves out the titles that repeat a field's name; those that somebody wrote stay."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@attrs.frozen
class Arguments:
    """How to read the arguments of one function: `model` for the named, `extra` for `**kwargs`.

    `shown` are the parameters that JSON can give; the others keep their defaults.
    """

    shown: tuple[Argument, ...]
    model: type[BaseModel]
    extra: TypeAdapter[Any] | None
    schema: Mapping[str, Any]


def arguments_of(signature: Signature, texts: Mapping[str, str]) -> Arguments:
    """Raises `NotJson` where a required parameter cannot be given as JSON."""
    fields: dict[str, Any] = {}
    shown: list[Argument] = []
    extra: TypeAdapter[Any] | None = None
    for argument in signature.arguments:
        try:
            form = accepted(argument.annotation)
        except NotJson as reason:
            if not argument.optional:
                raise NotJson(f"{argument.name}: {reason}") from None
            continue
        if argument.kind is Parameter.VAR_KEYWORD:
            extra = TypeAdapter(dict[str, form])  # type: ignore[valid-type]
            continue
        if argument.kind is Parameter.VAR_POSITIONAL:
            form = list[form]  # type: ignore[valid-type]
        fields[f"p{len(shown)}"] = (form, _field(argument, texts.get(argument.name)))
        shown.append(argument)
    model = create_model("Arguments", __config__=_config(extra), **fields)
    return Arguments(tuple(shown), model, extra, _input_schema(model, extra))


def _config(extra: object) -> ConfigDict:
    return ConfigDict(extra="forbid", protected_namespaces=(), title="Arguments")


def _field(argument: Argument, text: str | None) -> Any:
    """A field known by the parameter's name; its default is only shown, never passed."""
    said = _metadata(argument.annotation)
    options: dict[str, Any] = {"alias": argument.name}
    if text and not any(info.description for info in said):
        options["description"] = text
    if argument.optional:
        options["default_factory"] = lambda: None
        default = _shown_default(argument)
        if default is not None:
            options["json_schema_extra"] = {"default": default}
    return Field(**options)


def _metadata(annotation: Any) -> list[FieldInfo]:
    return [item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, FieldInfo)]


def _shown_default(argument: Argument) -> Any:
    if not isinstance(argument.default, str | int | float | bool | list | tuple):
        return None
    value, _ = json_value(argument.default, max_items=8)
    return value if len(repr(value)) <= MAX_DEFAULT else None


def _input_schema(model: type[BaseModel], extra: TypeAdapter[Any] | None) -> dict[str, Any]:
    try:
        schema = model.model_json_schema(by_alias=True, schema_generator=Untitled)
    except PydanticUserError as error:
        raise NotJson(error.message) from None
    schema.pop("title", None)
    schema.setdefault("properties", {})
    if extra is not None:
        rest = extra.json_schema(schema_generator=Untitled)
        definitions = {**schema.pop("$defs", {}), **rest.pop("$defs", {})}
        schema["additionalProperties"] = rest.get("additionalProperties", True)
        if definitions:
            schema["$defs"] = definitions
    smaller: dict[str, Any] = compact(schema)
    return smaller


def result_schema(returns: Any) -> dict[str, Any] | None:
    """The schema of a stated return type, or None where it says nothing."""
    if returns is Parameter.empty or returns is Any:
        return None
    form = produced(returns)
    if form is Any:
        return None
    try:
        schema = TypeAdapter(form).json_schema(mode="serialization", schema_generator=Untitled)
    except PydanticUserError:
        return None
    schema = compact(schema)
    return schema or None


def compact(schema: Any) -> Any:
    """The same schema with plain alternatives written as one list of types."""
    if isinstance(schema, list):
        return [compact(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    smaller = {key: compact(value) for key, value in schema.items()}
    options = smaller.get("anyOf")
    if isinstance(options, list):
        merged = _merged(options)
        if len(merged) == 1 and isinstance(merged[0], dict) and not set(merged[0]) & set(smaller):
            del smaller["anyOf"]
            return {**merged[0], **smaller}
        smaller["anyOf"] = merged
    return smaller


def _merged(options: list[Any]) -> list[Any]:
    types: list[str] = []
    others: list[Any] = []
    for option in options:
        if isinstance(option, dict) and set(option) == {"type"}:
            given = option["type"]
            types += [given] if isinstance(given, str) else given
        elif option not in others:
            others.append(option)
    if "number" in types:
        types = [name for name in types if name != "integer"]
    distinct = list(dict.fromkeys(types))
    if not distinct:
        return others
    others = [option for option in others if not _covered(option, distinct)]
    return [{"type": distinct[0] if len(distinct) == 1 else distinct}, *others]


def _covered(option: Any, types: list[str]) -> bool:
    """One value of a type that is allowed as a whole."""
    return (
        isinstance(option, dict)
        and set(option) <= {"type", "const", "enum"}
        and (option.get("type") in types)
    )
