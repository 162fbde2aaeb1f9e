"""From what was written, and what the loaded plugins declared, to the configuration of a host."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import Diagnostic, Limits, SettingsSpec

from ._claims import Claim, claims_of, known_keys, unclaimed_rules, without_tool_search
from ._host_config import HostConfig
from ._kept_keys import KeptKey, kept_keys
from ._layers import clamp_diagnostic, layers_of
from ._models import HOST_SECTIONS, SERVERS
from ._reading import Problem, nearest, read_own, read_plugin, unknown, unknown_key
from ._tree import spoken

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from ._document import ConfigDocument
    from ._tree import Path as KeyPath

Specs = Mapping[str, SettingsSpec | None]


def resolve_config(
    document: ConfigDocument,
    specs: Specs,
    *,
    environ: Mapping[str, str] | None = None,
    state_dir: Path | None = None,
    known_plugins: Collection[str] | None = None,
) -> HostConfig:
    """Resolve a configuration for the loaded plugins, whose declarations are `specs`.

    `known_plugins` are the names of all installed plugins, loaded or not: where given, `stages`
    and `plugins.settings` may name no others. Raises `ConfigError` with every problem, a line
    each, and `PluginError` for a claim that cannot be.
    """
    if environ is not None:
        document = attrs.evolve(document, environ=environ)
    if state_dir is not None:
        document = attrs.evolve(document, state_dir=state_dir)
    resolution = _Resolution(document, claims_of(specs), known_plugins)
    config = resolution.config(specs)
    if resolution.problems:
        raise document.error(resolution.problems)
    return config


def config_problems(
    document: ConfigDocument, specs: Specs, *, known_plugins: Collection[str] | None = None
) -> list[Problem]:
    """Everything that stops a host from starting with this configuration, trusted or not."""
    document = attrs.evolve(document, effective=document.value)
    resolution = _Resolution(document, claims_of(specs), known_plugins)
    resolution.config(specs)
    return resolution.problems


class _Resolution:
    def __init__(
        self,
        document: ConfigDocument,
        claims: Mapping[KeyPath, Claim],
        known_plugins: Collection[str] | None,
    ) -> None:
        self.document = document
        self.value = document.effective
        self.claims = claims
        self.known_plugins = known_plugins
        self.problems: list[Problem] = []
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)

    def config(self, specs: Specs) -> HostConfig:
        self.unknown_keys()
        self.problems.extend(unclaimed_rules(self.value, self.claims))
        layers, wrong, clamped = layers_of(self.value)
        self.problems.extend(wrong)
        for path, told in clamped:
            self.clamped(path, told)
        tools = self.section("tools")
        own = {name: self.own(model, (name,)) for name, model in HOST_SECTIONS.items()}
        if own["stages"] is not None:
            own["stages"] = self.document.stages
        self.names(own)
        return HostConfig(
            **own,
            limits=self.own(Limits, ("tools", "limits")),
            always_visible=self.own(tuple[str, ...], ("tools", "alwaysVisible"))
            if "alwaysVisible" in tools
            else (),
            claimed=self.claimed(specs),
            settings=dict(self.settings(specs)),
            places=self.document.places(),
            base_dir=self.document.base_dir,
            state_dir=self.document.state_dir,
            path=self.document.path,
            trusted=self.document.trusted,
            layers=layers,
            diagnostics=tuple(self.diagnostics),
        )

    def section(self, key: str) -> Mapping[str, Any]:
        section = self.value.get(key, {})
        if isinstance(section, Mapping):
            return section
        wrong = Problem((key,), "should be an object")
        if wrong not in self.problems:
            self.problems.append(wrong)
        return {}

    def own(self, type_: Any, path: KeyPath) -> Any:
        here: Any = self.value
        for step in path:
            here = here.get(step, {}) if isinstance(here, Mapping) else {}
        value, wrong = read_own(type_, here, path, clamped=lambda told: self.clamped(path, told))
        self.problems.extend(wrong)
        return value

    def clamped(self, path: KeyPath, told: str) -> None:
        key = told.split(":", 1)[0]
        path = path if path and path[-1] == key else (*path, key)
        self.diagnostics.append(clamp_diagnostic(path, told, self.document.place(path)))

    def unknown_keys(self) -> None:
        top, tools = known_keys(self.claims)
        for key in self.value:
            if key not in top:
                self.unknown_top(key, top)
        for key in self.section("tools"):
            if key not in tools:
                self.problems.append(
                    Problem(("tools", key), unknown_key(str(key), tools), at_key=True)
                )
        if SERVERS in self.value and (SERVERS,) not in self.claims:
            self.warn((SERVERS,), "no loaded plugin claims this key: its servers are not started")

    def unknown_top(self, key: str, known: Collection[str]) -> None:
        """A file of another MCP client holds keys of that client's; one of ours holds none."""
        shared = SERVERS in self.value and not (set(self.value) & {*HOST_SECTIONS, "tools"})
        if shared and nearest(str(key), known) is None:
            self.warn((key,), "not a key of ours; taken for another MCP client's and not used")
        else:
            self.problems.append(Problem((key,), unknown_key(str(key), known), at_key=True))

    def warn(self, path: KeyPath, message: str, cure: str | None = None) -> None:
        place = self.document.place(path, key=True)
        self.diagnostics.append(
            Diagnostic(
                level="warning",
                code="config-key",
                message=f"{path[-1]}: {message}",
                subject=place,
                cure=cure
                or "`toolsearch plugins` lists what is loaded; remove the key if it is not meant",
            )
        )

    def names(self, own: Mapping[str, Any]) -> None:
        """The names of plugins in `stages` and `plugins` are those of installed ones."""
        if self.known_plugins is None or own["stages"] is None or own["plugins"] is None:
            return
        stages = own["stages"]
        named: list[tuple[KeyPath, str]] = [
            (("stages", "index"), stages.index),
            (("stages", "runner"), stages.runner),
        ]
        named += [(("stages", "modes", mode), name) for mode, name in stages.modes.items()]
        for path, name in named:
            written = self.document.place(path) != self.document.place(path[:1])
            if name not in self.known_plugins and written:
                self.problems.append(Problem(path, unknown("plugin", name, self.known_plugins)))
        named = []
        for key in ("enabled", "disabled", "order"):
            listed = enumerate(getattr(own["plugins"], key))
            named += [(("plugins", key, number), name) for number, name in listed if name != "*"]
        named += [(("plugins", "pins", name), name) for name in own["plugins"].pins]
        for path, name in named:
            if name not in self.known_plugins:
                self.problems.append(Problem(path, unknown("plugin", name, self.known_plugins)))
        for name in own["plugins"].settings:
            if name not in self.known_plugins:
                wrong = unknown("plugin", name, self.known_plugins)
                self.problems.append(Problem(("plugins", "settings", name), wrong, at_key=True))

    def claimed(self, specs: Specs) -> dict[str, dict[str, Any]]:
        parsed: dict[str, dict[str, Any]] = {plugin: {} for plugin in specs}
        for path, claim in self.claims.items():
            holder = self.section("tools") if len(path) == 2 else self.value
            key = str(path[-1])
            if key in holder:
                raw = without_tool_search(claim.key, holder[key])
                parsed[claim.plugin][claim.key] = self.of_plugin(claim.type, raw, path)
        return parsed

    def of_plugin(self, type_: Any, raw: Any, path: KeyPath) -> Any:
        value, wrong = read_plugin(type_, raw, path, clamped=lambda told: self.clamped(path, told))
        self.problems.extend(wrong)
        for kept in kept_keys(value, path):
            self.diagnostics.append(self.unread(kept))
        return value

    def unread(self, kept: KeptKey) -> Diagnostic:
        """A key that nobody reads: misspelt, or another program's."""
        if kept.foreign is not None:
            message, cure = kept.foreign, None
        else:
            message = "unknown key, which has no effect"
            meant = f'did you mean "{kept.near}"? ' if kept.near else ""
            cure = f"{meant}Take it out, unless another client needs it"
        return Diagnostic(
            level="warning" if kept.foreign is None else "info",
            code="config-key",
            message=f"{spoken(kept.path)}: {message}",
            subject=self.document.place(kept.path, key=True),
            cure=cure,
        )

    def settings(self, specs: Specs) -> Iterator[tuple[str, BaseModel | None]]:
        section = self.section("plugins").get("settings", {})
        written = section if isinstance(section, Mapping) else {}
        for plugin, spec in specs.items():
            path = ("plugins", "settings", plugin)
            model = spec.model if spec else None
            if model is None:
                if written.get(plugin):
                    self.problems.append(Problem(path, "this plugin has no settings", at_key=True))
                yield plugin, None
                continue
            yield plugin, self.of_plugin(model, written.get(plugin, {}), path)
        for name in written:
            if name not in specs and (self.known_plugins is None or name in self.known_plugins):
                self.warn(
                    ("plugins", "settings", name),
                    "not loaded, or without settings: these are not used",
                    f"name {name} in plugins.enabled where it is to be loaded; `toolsearch "
                    "plugins` says what became of it",
                )
