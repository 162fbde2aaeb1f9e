"""Docstrings, signatures and annotations, as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 96
STARS: Mapping[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
HOMES = re.compile(
    r"\b(?:toolsearch(?:_hookspecs)?\.[\w.]+\.|typing\.|collections\.abc\.|datetime\.|pathlib\.)"
)


def text_of(value: Any) -> str:
    """What the docstring says."""
    return inspect.cleandoc(value.__doc__ or "")


def signature(name: str, function: Any) -> str:
    """How a function is called, a parameter a line where one line is too long."""
    declared = inspect.signature(function)
    word = "async def" if inspect.iscoroutinefunction(function) else "def"
    given = list(_parameters(declared))
    gives = declared.return_annotation
    end = "" if gives is inspect.Signature.empty else f" -> {_name(gives)}"
    text = f"{word} {name}({', '.join(given)}){end}"
    if len(text) <= WIDTH:
        return text
    return "\n".join([f"{word} {name}(", *(f"    {each}," for each in given), f"){end}"])


def _parameters(declared: inspect.Signature) -> Iterator[str]:
    """The parameters as they are written, with the `*` before those that go by keyword."""
    starred = False
    for place, parameter in enumerate(declared.parameters.values()):
        if place == 0 and parameter.name in {"self", "cls"}:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or parameter.kind in {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        yield _parameter(parameter)


def _parameter(parameter: inspect.Parameter) -> str:
    stars = STARS.get(parameter.kind, "")
    typed = parameter.annotation is not parameter.empty
    shown = f"{stars}{parameter.name}" + (f": {_name(parameter.annotation)}" if typed else "")
    if parameter.default is parameter.empty:
        return shown
    return f"{shown} = {parameter.default!r}" if typed else f"{shown}={parameter.default!r}"


def _name(kind: Any) -> str:
    text = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
    return HOMES.sub("", text)


def annotation(kind: Any) -> str:
    """A type, for a cell of a table."""
    text = kind.__name__ if inspect.isclass(kind) and not hasattr(kind, "__args__") else str(kind)
    return HOMES.sub("", text).replace("|", "\\|")


def members(name: str, value: Any) -> str:
    """A function or class as it is called, with its words; of a class what it has besides."""
    if not inspect.isclass(value):
        return f"```python\n{signature(name, value)}\n```\n\n{text_of(value)}"
    parts = [text_of(value)]
    fields = "\n".join(f"- `{field}: {kind}`" for field, kind in _fields(value))
    parts += [fields] if fields else []
    for member, found in _public(value):
        if not text_of(found):
            continue
        if isinstance(found, property):
            parts.append(f"```python\n{_getter(member, found)}\n```\n\n{text_of(found)}")
        else:
            parts.append(f"```python\n{signature(member, found)}\n```\n\n{text_of(found)}")
    return "\n\n".join(parts)


def _public(cls: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties that are for others: those with words, and how an instance is made."""
    for name, found in vars(cls).items():
        of_class = isinstance(found, classmethod | staticmethod)
        function = found.__func__ if of_class else found
        if name == "__init__" and inspect.isfunction(function) and function.__doc__:
            yield cls.__name__, function
        elif not name.startswith(("_", "test_")) and (
            inspect.isfunction(function) or isinstance(function, property)
        ):
            yield f"{cls.__name__}.{name}" if of_class else name, function


def _getter(name: str, found: property) -> str:
    gives = inspect.signature(found.fget).return_annotation if found.fget else Any
    return f"{name}: {_name(gives)}"


def _fields(cls: type) -> Iterator[tuple[str, str]]:
    for name, kind in inspect.get_annotations(cls).items():
        if not name.startswith("_"):
            yield name, annotation(kind).replace("\\|", "|")
