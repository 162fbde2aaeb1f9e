"""What the plugins that a configuration would load declare, for checking and describing it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from toolsearch_hookspecs import ConfigError, PluginError, SettingsSpec

from ..config import ConfigDocument, Problem, config_problems
from ..plugins import PluginHost, PluginSelection, discover, select
from ._session import Session


@attrs.frozen
class Declared:
    """The declarations of the loaded plugins, the names of all installed ones, and what kept a
    named plugin from being loaded.
    """

    specs: Mapping[str, SettingsSpec]
    installed: frozenset[str]
    refused: str | None = None


def declared(session: Session, document: ConfigDocument) -> Declared:
    """Load the plugins of a configuration, however broken it is, as far as that goes."""
    try:
        section = document.plugins_section()
        wanted = PluginSelection.resolve(section, session.environ, session.selection)
    except ConfigError:
        wanted = PluginSelection.resolve({}, session.environ, session.selection)
    plan = select(discover(), wanted)
    installed = frozenset(planned.name for planned in plan.plugins)
    try:
        loaded = PluginHost.load(plan).loaded
    except PluginError as error:
        return Declared({}, installed, str(error))
    specs = {each.name: each.settings_spec for each in loaded if each.settings_spec is not None}
    return Declared(specs, installed)


def mistakes(session: Session, document: ConfigDocument) -> list[Problem]:
    """Everything that stops a host from starting with this configuration."""
    known = declared(session, document)
    wrong = config_problems(document, known.specs, known_plugins=known.installed)
    if known.refused is None:
        return wrong
    named = [problem for problem in wrong if problem.path[:1] == ("plugins",)]
    return named or [Problem(("plugins", "enabled"), known.refused)]
