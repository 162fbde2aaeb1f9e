"""What the plugins that a configuration would load declare, for checking and describing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from toolsearch_hookspecs import ConfigError, PluginError, SettingsSpec

from ..config import ConfigDocument, Problem, config_problems
from ..plugins import Plan, PluginHost, PluginSelection, PluginState, discover, select
from ._session import Session

if TYPE_CHECKING:
    from ..config import KeyPath
    from ..plugins import Discovery


@attrs.frozen
class Declared:
    """The declarations of the loaded plugins, the names of all installed ones, and what kept a
    named plugin from being loaded.
    """

    specs: Mapping[str, SettingsSpec]
    installed: frozenset[str]
    refused: Problem | None = None


def declared(session: Session, document: ConfigDocument) -> Declared:
    """Load the plugins of a configuration, however broken it is, as far as that goes."""
    session.hear_logs()
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
        return Declared(_specs(plan), installed)
    except PluginError as error:
        refused = Problem(_place(plan), str(error))
    return Declared(_specs_of_the_rest(discovery, plan), installed, refused)


def mistakes(session: Session, document: ConfigDocument) -> list[Problem]:
    """Everything that stops a host from starting with this configuration."""
    known = declared(session, document)
    wrong = config_problems(document, known.specs, known_plugins=known.installed)
    if known.refused is None:
        return wrong
    sure = [each for each in wrong if not _may_be_read(each)]
    named = any(each.path[:1] == ("plugins",) for each in sure)
    return sure if named else [known.refused, *sure]


def _may_be_read(problem: Problem) -> bool:
    """Whether it is a key of which nobody is known to read it: the plugin that was not loaded may."""
    path = problem.path
    return problem.at_key and (len(path) == 1 or (len(path) == 2 and path[0] == "tools"))


def _specs(plan: Plan) -> dict[str, SettingsSpec]:
    loaded = PluginHost.load(plan).loaded
    return {each.name: each.settings_spec for each in loaded if each.settings_spec is not None}


def _specs_of_the_rest(discovery: Discovery, plan: Plan) -> dict[str, SettingsSpec]:
    """What those declare that can be loaded where a named one cannot: so that no mistake hides
    another.
    """
    held = tuple(each.name for each in plan.plugins if each.state is not PluginState.LOADED)
    enabled = tuple(each.name for each in plan.to_load if each.named)
    for named in (enabled, ()):
        try:
            return _specs(select(discovery, PluginSelection(enabled=named, disabled=held)))
        except PluginError:
            continue
    return {}


def _place(plan: Plan) -> KeyPath:
    """The key that names what was refused."""
    for each in plan.plugins:
        if each.state is PluginState.PIN_MISMATCH:
            return ("plugins", "pins", each.name)
    return ("plugins", "enabled")
