"""What the model is given: control tools of the mode, then the visible tools, then the rest."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError, Diagnostic, ModelSurface, Tool, ToolDefinition

from ..catalog import Catalog
from ..schemas import Mended, mended
from ..text import clean, fold, one_line
from ._control import is_control
from ._search import serialized_bytes

DIRECT = "direct"
SEPARATOR = re.compile(r"[^A-Za-z0-9_-]+")
TURN = 200  # definitions that are measured before others may run: some five milliseconds


@attrs.frozen(slots=False)
class PlannedSurface:
    """The surface of a run, which stays as it is while the run lives, with its cost in bytes.

    `said` are the schemas in which something had to be mended.
    """

    model: ModelSurface
    names: Mapping[str, str]
    direct_bytes: int
    said: tuple[Diagnostic, ...] = ()

    @cached_property
    def tool_bytes(self) -> int:
        return serialized_bytes([definition_json(tool) for tool in self.model.tools])

    @cached_property
    def prompt_bytes(self) -> int:
        return len((self.model.prompt or "").encode())


def composed(
    rendered: ModelSurface,
    controls: Sequence[str],
    visible: Sequence[Tool],
    direct_bytes: int,
    sent: Callable[[Tool], Mended],
) -> PlannedSurface:
    """Control tools first, visible tools by id, and what else the mode shows last (S4.5).

    Every schema is one that a provider takes, or it would refuse the whole request; `sent` gives
    that of a visible tool.
    """
    names = visible_names(visible)
    shown = {tool_id: name for name, tool_id in names.items()}
    first = [tool for tool in rendered.tools if tool.name in controls]
    last = [tool for tool in rendered.tools if tool.name not in controls]
    said: list[Diagnostic] = []
    middle = []
    for tool in visible:
        fit = sent(tool)
        said += _mended(tool.id, fit)
        middle.append(definition(tool, shown[tool.id], fit.schema))
    for place, drawn in enumerate(last):
        fit = mended(drawn.input_schema)
        said += _mended(drawn.name, fit)
        last[place] = drawn.model_copy(update={"input_schema": fit.schema})
    model = ModelSurface(tools=(*first, *middle, *last), prompt=rendered.prompt)
    return PlannedSurface(model, names, direct_bytes, tuple(said))


def _mended(tool: str, fit: Mended) -> Iterator[Diagnostic]:
    if fit.notes:
        yield Diagnostic(
            level="warning",
            code="schema_mended",
            message=f"{one_line(tool, 200)}: its input schema is no JSON Schema throughout: "
            f"{'; '.join(fit.notes)}. What the model is given is without it",
            subject=tool,
            cure="correct the schema where the tool is defined",
        )


def visible_names(tools: Sequence[Tool]) -> dict[str, str]:
    """Model-visible name to id: the name where it is unique, else `owner__name` (S4.7)."""
    counts = Counter(fold(tool.name) for tool in tools)
    names: dict[str, str] = {}
    for tool in sorted(tools, key=lambda tool: tool.id):
        plain = counts[fold(tool.name)] == 1 and not is_control(tool.name)
        name = tool.name if plain else f"{SEPARATOR.sub('_', tool.owner)}__{tool.name}"
        if fold(name) in {fold(taken) for taken in names}:
            name = f"{tool.source}__{name}"
        names[name] = tool.id
    return names


def refuse_conflicts(
    client: Sequence[Tool], visible: Sequence[Tool], others: Sequence[Tool]
) -> None:
    """Refuse client tools named like a control tool or another visible tool (S4.7).

    `others` are the tools whose names must stay free besides. Raises ConfigError naming both.
    """
    taken: dict[str, str] = {}
    for tool in (*visible, *others):
        if tool.source != "client":
            taken.setdefault(fold(tool.name), tool.id)
    seen: dict[str, str] = {}
    for tool in client:
        name = fold(tool.name)
        other = "a control tool" if is_control(tool.name) else taken.get(name) or seen.get(name)
        if other is not None:
            message = f"client tool {tool.id} has the name of {other}; give it another name"
            raise ConfigError(message)
        seen[name] = tool.id


def definition(tool: Tool, name: str, schema: Mapping[str, Any] | None = None) -> ToolDefinition:
    """A tool as the model is given it directly, with a schema that was made to fit."""
    return ToolDefinition(
        name=name,
        description=clean(tool.description),
        input_schema=tool.input_schema if schema is None else schema,
    )


def definition_json(tool: ToolDefinition) -> dict[str, object]:
    """The neutral JSON form of a definition, as its bytes are counted."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}


async def direct_bytes(catalog: Catalog) -> int:
    """What exposing every tool of a catalog directly would cost, in bytes of JSON; others run
    meanwhile, since that of ten thousand tools takes a quarter of a second.
    """
    total = 0
    for place, tool in enumerate(catalog.tools, 1):
        total += serialized_bytes(definition_json(definition(tool, tool.name))) + 1
        if not place % TURN:
            await asyncio.sleep(0)
    return total
