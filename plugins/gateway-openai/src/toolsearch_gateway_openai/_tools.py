"""The app's own tools, and what the provider is told of all tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import (
    EMPTY_SCHEMA,
    ClientTool,
    ConfigError,
    ModelCall,
    RunApi,
    ToolCall,
    ToolDefinition,
    ToolSpec,
)

from ._errors import bad_request
from ._sse import compact_json

FREE_TEXT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}
"""The arguments of a custom tool, whose input is free text."""

TOOL_SEARCH = "tool_search"


@attrs.frozen
class OwnTool:
    """One of the app's own tools: `entry` as the app wrote it, `about` the part that names it."""

    name: str
    entry: Mapping[str, Any]
    about: Mapping[str, Any]
    custom: bool

    @property
    def client_tool(self) -> ClientTool:
        """It as a tool of the run: its calls are handed back to the app."""
        return ClientTool(
            spec=ToolSpec(
                name=self.name,
                description=str(self.about.get("description") or ""),
                input_schema=self._schema(),
            )
        )

    def entry_as(self, name: str) -> Mapping[str, Any]:
        """The app's entry, under the name that the model is shown."""
        if name == self.name:
            return self.entry
        kind = "custom" if self.custom else "function"
        if isinstance(self.entry.get(kind), Mapping):
            return {**self.entry, kind: {**self.entry[kind], "name": name}}
        return {**self.entry, "name": name}

    def _schema(self) -> Mapping[str, Any]:
        if self.custom:
            return FREE_TEXT
        schema = self.about.get("parameters")
        if schema is None:
            return EMPTY_SCHEMA
        if not isinstance(schema, Mapping):
            raise bad_request(f"the parameters of the tool {self.name} are no JSON Schema")
        return {"type": "object", **schema}


@attrs.frozen
class OwnTools:
    """The tools of one request: the app's own, and `others`, which the provider itself runs."""

    tools: tuple[OwnTool, ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, entries: Any) -> OwnTools:
        """Read `tools` of a request, in the form of either API. Raises ApiError."""
        if entries is None:
            return cls()
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise bad_request("tools must be an array", param="tools")
        tools: list[OwnTool] = []
        others: list[Mapping[str, Any]] = []
        for place, entry in enumerate(entries):
            if not isinstance(entry, Mapping):
                raise bad_request(f"tools[{place}] must be an object", param=f"tools[{place}]")
            kind = entry.get("type")
            if kind not in {"function", "custom"}:
                others.append(entry)
                continue
            about = entry[kind] if isinstance(entry.get(kind), Mapping) else entry
            name = about.get("name")
            if not isinstance(name, str) or not name:
                raise bad_request(f"tools[{place}] has no name", param=f"tools[{place}]")
            tools.append(OwnTool(name, entry, about, custom=kind == "custom"))
        return cls(tuple(tools), tuple(others))

    @property
    def client_tools(self) -> tuple[ClientTool, ...]:
        return tuple(tool.client_tool for tool in self.tools)

    def shown_as(self, definition: ToolDefinition) -> OwnTool | None:
        """The own tool behind a definition of the surface, which may have been renamed."""
        for tool in self.tools:
            named = definition.name == tool.name or definition.name.endswith(f"__{tool.name}")
            if named and definition.input_schema == tool.client_tool.spec.input_schema:
                return tool
        return None

    def of_name(self, name: str) -> OwnTool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


@attrs.frozen
class Declared:
    """What the provider is told: tools in its form, an addition to the prompt, and how the names
    that it uses turn back into those of the surface. `deferred` are tools that its own tool
    search may load, by name.
    """

    tools: tuple[Mapping[str, Any], ...]
    prompt: str | None
    names: Mapping[str, str] = attrs.field(factory=dict)
    deferred: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)

    def back(self, name: str) -> str:
        return self.names.get(name, name)

    def found(self, hits: Any) -> tuple[Mapping[str, Any], ...]:
        """The deferred tools that the hits of a search stand for, each under the name that it has
        on the surface: its own, or with its owner before it where several have it.
        """
        by_name = {self.back(name): entry for name, entry in self.deferred.items()}
        entries = []
        for hit in hits if isinstance(hits, list) else ():
            owned = f"{hit['owner']}__{hit['name']}"
            shown = (hit["name"], owned, f"{hit['source']}__{owned}")
            entries += [by_name[name] for name in shown if name in by_name][:1]
        return tuple(entries)


@attrs.frozen
class HandedBack:
    """A call that the app performs: `id` is what the app is given, `model_id` the provider's."""

    id: str
    model_id: str
    name: str
    arguments: str
    custom: bool

    @classmethod
    def of(cls, call: ModelCall, handed: ToolCall, id: str, own: OwnTools) -> HandedBack:
        tool = own.of_name(handed.tool.name)
        custom = tool is not None and tool.custom
        text = (
            str(handed.arguments.get("input", ""))
            if custom
            else _as_written(call.arguments, handed.arguments)
        )
        return cls(id, call.id, handed.tool.name, text, custom)


def declared(run: RunApi, own: OwnTools, surface: str) -> Declared:
    """The surface of a run in the provider's form; the app's own tools as the app wrote them.

    Raises ApiError where the provider does not take it.
    """
    try:
        rendered = run.rendered(surface)
    except ConfigError as error:
        raise bad_request(str(error), param="tools", code="tools_refused") from error
    definitions = {definition.name: definition for definition in run.surface.tools}
    tools: list[Mapping[str, Any]] = []
    for entry in rendered.tools:
        name = entry.get("function", entry).get("name")
        definition = definitions.get(rendered.names.get(name, name))
        tool = None if definition is None else own.shown_as(definition)
        tools.append(entry if tool is None else tool.entry_as(name))
    return Declared((*tools, *own.others), rendered.prompt, rendered.names, rendered.deferred)


def _as_written(raw: Any, arguments: Mapping[str, Any]) -> str:
    """The model's own text, where it still says what the host made of it."""
    if isinstance(raw, str):
        try:
            if json.loads(raw) == arguments:
                return raw
        except ValueError:
            pass
    return compact_json(arguments)
