"""What the plugins that a configuration would load declare, for checking and describing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from toolsearch_hookspecs import ConfigError, Diagnostic, PluginError, RunContext, SettingsSpec

from ..config import (
    ConfigDocument,
    Problem,
    config_problems,
    resolve_config,
    unknown,
    written_modes,
)
from ..host import contexts_of
from ..plugins import Plan, PluginHost, PluginSelection, PluginState, discover, select
from ..runs import DIRECT
from ._session import Session

if TYPE_CHECKING:
    from ..config import KeyPath
    from ..host import Host
    from ..plugins import Discovery


ENABLED = "plugins.enabled"


@attrs.frozen
class Declared:
    """The declarations of the loaded plugins, the names of all installed ones, and what kept a
    named plugin from being loaded; `loaded` are the plugins themselves, where all could be.
    """

    specs: Mapping[str, SettingsSpec]
    installed: frozenset[str]
    refused: Problem | None = None
    loaded: PluginHost | None = None

    def configured(self, document: ConfigDocument) -> PluginHost | None:
        """The plugins with their settings, nothing started; None where not all could be loaded.
        Raises what stops a host from starting with this configuration.
        """
        if self.loaded is not None:
            config = resolve_config(document, self.specs, known_plugins=self.installed)
            self.loaded.set_limits(config.limits)
            self.loaded.configure(contexts_of(config, self.loaded, document.environ))
        return self.loaded


def declared(session: Session, document: ConfigDocument) -> Declared:
    """Load the plugins of a configuration, however broken it is, as far as that goes."""
    session.hear_logs()
    try:
        section = document.plugins_section()
        wanted = PluginSelection.resolve(section, session.environ, session.selection)
    except ConfigError:
        wanted = PluginSelection.resolve({}, session.environ, session.selection)
    discovery = discover()
    plan = select(discovery, wanted)
    installed = frozenset(planned.name for planned in plan.plugins)
    try:
        loaded = PluginHost.load(plan)
        return Declared(_specs(loaded), installed, loaded=loaded)
    except PluginError as error:
        refused = Problem(_place(plan), str(error))
    return Declared(_specs_of_the_rest(discovery, plan), installed, refused)


async def said_of_rules(known: Declared, document: ConfigDocument) -> Sequence[Diagnostic]:
    """What policies say of their rules when they are asked about no tools. One that fails then is
    not at fault: it is asked about tools elsewhere.
    """
    loaded = known.configured(document)
    if loaded is None:
        return ()
    verdict = await loaded.hooks.policy(RunContext(run_id="check"), (), None)
    return [each for each in verdict.diagnostics if each.code != "policy.failed"]


def mistakes(session: Session, document: ConfigDocument) -> list[Problem]:
    """Everything that stops a host from starting with this configuration."""
    known = declared(session, document)
    wrong = config_problems(document, known.specs, known_plugins=known.installed)
    if known.refused is None:
        return wrong or _unknown_modes(known, document)
    sure = [each for each in wrong if not _may_be_read(each)]
    named = any(each.path[:1] == ("plugins",) for each in sure)
    return sure if named else [known.refused, *sure]


def _unknown_modes(known: Declared, document: ConfigDocument) -> list[Problem]:
    """The modes that are written and that nothing draws."""
    loaded = known.configured(document)
    return [] if loaded is None else unknown_modes(document, loaded)


def unknown_modes(document: ConfigDocument, loaded: PluginHost) -> list[Problem]:
    """The modes that a configuration names and that no plugin draws. Where plugins are not loaded
    because nobody trusted the file yet, it is not known what they draw.
    """
    if not document.trusted and any(each.subject == ENABLED for each in document.diagnostics):
        return []
    written = list(written_modes(document.effective))
    if not written:
        return []
    modes = {DIRECT, *(drawn.value.mode for drawn in loaded.hooks.mode_renderers())}
    return [
        Problem(path, unknown("mode", mode, modes)) for path, mode in written if mode not in modes
    ]


def refuse_unknown_modes(session: Session, made: Host) -> None:
    """Raise ConfigError, with the line, for a mode that no plugin of a host draws: before its
    sources are waited for.
    """
    document = session.document()
    if wrong := unknown_modes(document, made.plugins):
        raise document.error(wrong)


def _may_be_read(problem: Problem) -> bool:
    """Whether it is a key of which nobody is known to read it: the plugin that was not loaded may."""
    path = problem.path
    return problem.at_key and (len(path) == 1 or (len(path) == 2 and path[0] == "tools"))


def _specs(host: PluginHost) -> dict[str, SettingsSpec]:
    return {each.name: each.settings_spec for each in host.loaded if each.settings_spec is not None}


def _specs_of_the_rest(discovery: Discovery, plan: Plan) -> dict[str, SettingsSpec]:
    """What those declare that can be loaded where a named one cannot: so that no mistake hides
    another.
    """
    held = tuple(each.name for each in plan.plugins if each.state is not PluginState.LOADED)
    enabled = tuple(each.name for each in plan.to_load if each.named)
    for named in (enabled, ()):
        try:
            wanted = PluginSelection(enabled=named, disabled=held)
            return _specs(PluginHost.load(select(discovery, wanted)))
        except PluginError:
            continue
    return {}


def _place(plan: Plan) -> KeyPath:
    """The key that names what was refused."""
    for each in plan.plugins:
        if each.state is PluginState.PIN_MISMATCH:
            return ("plugins", "pins", each.name)
    return ("plugins", "enabled")
