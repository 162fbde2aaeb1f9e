"""The public names of the contract."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from enum import Enum, EnumType
from typing import Any

from ._words import annotation, signature, text_of


def contract() -> str:
    """Every public name of the contract: protocols with their members, records with their fields."""
    import toolsearch_hookspecs as contract

    named = {name: getattr(contract, name) for name in contract.__all__}
    classes = {name: value for name, value in named.items() if inspect.isclass(value)}
    protocols = {n: c for n, c in classes.items() if getattr(c, "_is_protocol", False)}
    records = {n: c for n, c in classes.items() if hasattr(c, "model_fields")}
    errors = {n: c for n, c in classes.items() if issubclass(c, Exception)}
    rest = [n for n in named if n not in {**protocols, **records, **errors}]
    parts = ["## Protocols", *(_protocol(name, cls) for name, cls in sorted(protocols.items()))]
    parts += ["## Records", *(_record(name, cls) for name, cls in sorted(records.items()))]
    parts += ["## Errors", *(f"### {name}\n\n{text_of(c)}" for name, c in sorted(errors.items()))]
    parts += ["## Other names", *(_other(name, named[name]) for name in sorted(rest))]
    return "\n\n".join(parts)


def _protocol(name: str, cls: Any) -> str:
    fields = [f"- `{field}: {kind}`" for field, kind in inspect.get_annotations(cls).items()]
    members = [
        f"```python\n{signature(member, value)}\n```\n\n{text_of(value)}"
        for member, value in vars(cls).items()
        if inspect.isfunction(value) and not member.startswith("_")
    ]
    return "\n\n".join([f"### {name}", text_of(cls), "\n".join(fields), *members])


def _record(name: str, cls: Any) -> str:
    rows = [
        f"| `{field}` | `{annotation(info.annotation)}` | {_default(info)} |"
        for field, info in cls.model_fields.items()
    ]
    table = ["| field | type | default |", "|---|---|---|", *rows] if rows else []
    own = text_of(cls) if "__doc__" in vars(cls) else ""
    return f"### {name}\n\n{own}\n\n" + "\n".join(table)


def _other(name: str, value: Any) -> str:
    match value:
        case EnumType():
            named: Mapping[str, Enum] = value.__members__
            words = ", ".join(f"`{member.value}`" for member in named.values())
            return f"### {name}\n\n{text_of(value)}\n\nOne of {words}."
        case _ if inspect.isfunction(value) or inspect.isclass(value):
            return f"### {name}\n\n{text_of(value)}"
        case str() | int():
            return f"### {name}\n\n`{value!r}`"
        case _ if name == "HOOK_RULES":
            return f"### {name}\n\nThe rule of every hook by its name; see [Hooks](hooks.md)."
        case _:
            return f"### {name}\n\n`{annotation(value)}`"


def _default(info: Any) -> str:
    if info.is_required():
        return "required"
    if info.default_factory is not None:
        return "empty"
    return f"`{info.default!r}`".replace("|", "\\|")
