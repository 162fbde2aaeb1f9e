"""A neutral surface made to fit what a provider takes, with one report of what was changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError, ModelSurface, SurfaceLimits, ToolDefinition
from toolsearch_hookspecs.text import cut, one_line

from ..schemas import mended
from ._inline import Inlined
from ._legal import Legal
from ._names import provider_names
from ._root import ObjectRoot, object_root

SCHEMAS_KEPT = 20_000
FEW = 32  # definitions; a surface of so few is fitted at once, and nothing is kept


@attrs.frozen
class FittedSchema:
    """A schema that the provider takes, and what was changed in it."""

    source: Mapping[str, Any]
    schema: Mapping[str, Any]
    parameters: Mapping[str, str]
    said: tuple[str, ...]
    needed: str = ""


@attrs.frozen
class FittedSurface:
    """A surface that the provider takes; `names` and `parameters` turn back what was renamed."""

    surface: ModelSurface
    names: Mapping[str, str]
    parameters: Mapping[str, Mapping[str, str]]
    changes: tuple[str, ...]


@attrs.define
class Fitter:
    """Fits surfaces to the limits of one provider; a schema seen before is not fitted again."""

    name: str
    limits: SurfaceLimits
    _known: OrderedDict[int, FittedSchema] = attrs.field(factory=OrderedDict)

    def fitted(self, surface: ModelSurface) -> FittedSurface:
        """Raises ConfigError where the provider takes fewer tools than the surface has."""
        definitions = [*surface.tools, *surface.deferred]
        if surface.search is not None:
            definitions.append(surface.search)
        self._check_count(len(definitions))
        names = provider_names(
            [definition.name for definition in definitions],
            self.limits.name_chars,
            self.limits.max_name,
        )
        parameters: dict[str, Mapping[str, str]] = {}
        changes: list[str] = []
        schema_of = self._fresh if len(definitions) <= FEW else self._kept

        def fit(definition: ToolDefinition) -> ToolDefinition:
            schema = schema_of(definition.input_schema)
            name = names[definition.name]
            if schema.parameters:
                parameters[name] = schema.parameters
            description, cut_off = self._description(definition.description, schema.needed)
            said = [f"sent as {name}"] if name != definition.name else []
            said += [*cut_off, *schema.said]
            if said:
                changes.append(f"{one_line(definition.name, 128)}: {'; '.join(said)}")
            return definition.model_copy(
                update={"name": name, "description": description, "input_schema": schema.schema}
            )

        fitted = ModelSurface(
            tools=tuple(map(fit, surface.tools)),
            prompt=surface.prompt,
            search=None if surface.search is None else fit(surface.search),
            deferred=tuple(map(fit, surface.deferred)),
        )
        back = {given: name for name, given in names.items()}
        return FittedSurface(fitted, back, parameters, tuple(changes))

    def _check_count(self, count: int) -> None:
        most = self.limits.max_tools
        if most is not None and count > most:
            message = (
                f"{self.name} takes at most {most} tools in a request and this run shows {count}: "
                "plan it with mode 'tools', 'code' or 'directory' (tools.toolSearch: true), or let "
                "policy allow fewer"
            )
            raise ConfigError(message)

    def _fresh(self, schema: Mapping[str, Any]) -> FittedSchema:
        return fitted_schema(schema, self.limits)

    def _kept(self, schema: Mapping[str, Any]) -> FittedSchema:
        """By identity: a catalog's tools keep their schemas, and runs share catalogs."""
        known = self._known.get(id(schema))
        if known is not None and known.source is schema:
            return known
        fitted = self._known[id(schema)] = fitted_schema(schema, self.limits)
        while len(self._known) > SCHEMAS_KEPT:
            self._known.popitem(last=False)
        return fitted

    def _description(self, text: str, needed: str) -> tuple[str, list[str]]:
        most = self.limits.max_description
        if needed:
            text = f"{text.rstrip()} {needed}".strip()
        if most is None or len(text) <= most:
            return text, []
        return f"{text[: cut(text, most - 1)].rstrip()}…", [
            f"its description of {len(text):,} characters is cut to {most:,}"
        ]


def fitted_schema(schema: Any, limits: SurfaceLimits) -> FittedSchema:
    """An input schema in a form that the provider takes."""
    if not isinstance(schema, Mapping):
        return FittedSchema(
            schema, _empty(), {}, ("it has no schema; one without properties is sent",)
        )
    inlined = Inlined.of(schema)
    said = []
    if inlined.referred:
        said.append("references are written out")
    if inlined.cut:
        said.append("what is recursive, or beyond bounds, is left open")
    whole = mended(inlined.schema)
    said += whole.notes
    root = object_root(whole.schema)
    if root is None:
        said.append("its schema describes no object; one without properties is sent")
        return FittedSchema(schema, _empty(), {}, tuple(said))
    if root.merged:
        said.append(f"{', '.join(root.merged)} at the root is merged into one object")
    legal = Legal(limits)
    shown = _empty() | legal.schema({"properties": {}, **root.schema})
    if legal.left_out:
        said.append(f"left out: {', '.join(one_line(key, 40) for key in sorted(legal.left_out))}")
    shown, parameters = _renamed(shown, limits)
    if parameters:
        renamed = ", ".join(f"{one_line(own, 64)} as {sent}" for sent, own in parameters.items())
        said.append(f"properties are renamed: {renamed}")
    return FittedSchema(schema, shown, parameters, tuple(said), _needed(root, parameters))


def _empty() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


def _renamed(
    schema: dict[str, Any], limits: SurfaceLimits
) -> tuple[dict[str, Any], dict[str, str]]:
    if limits.parameter_chars is None:
        return schema, {}
    properties: Mapping[str, Any] = schema["properties"]
    names = provider_names(list(properties), limits.parameter_chars, limits.max_parameter)
    changed = {sent: own for own, sent in names.items() if sent != own}
    if not changed:
        return schema, {}
    schema = schema | {"properties": {names[own]: part for own, part in properties.items()}}
    if "required" in schema:
        schema["required"] = [names[own] for own in schema["required"]]
    return schema, changed


def _needed(root: ObjectRoot, parameters: Mapping[str, str]) -> str:
    """Which sets of properties one is needed of, where only alternatives said so."""
    if not root.choices:
        return ""
    sent = {own: name for name, own in parameters.items()}
    sets = [" and ".join(sent.get(name, name) for name in names) for names in root.choices[:8]]
    return f"Needed: {' or '.join(sets)}."
