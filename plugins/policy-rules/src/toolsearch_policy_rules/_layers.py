"""Which rules hold for a run, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from toolsearch_hookspecs import RunContext

from ._globs import Glob
from ._names import folded
from ._rules import LevelRules, RuleSet

LEVELS = (
    "managed",
    "global",
    "profile",
    "provider",
    "agent",
    "channel",
    "session",
    "sandbox",
    "sub-agent",
)


@attrs.frozen
class Layer:
    """The rules of one level for a run; `path` is their place in the configuration.

    A rule that a sub-agent inherits stands under the level of its parent: `parent/agent`.
    """

    level: str
    path: str
    rules: LevelRules = attrs.field(eq=False)


def layers(rules: RuleSet, run: RunContext) -> tuple[Layer, ...]:
    """The layers of a run, in the order of the levels, then what it inherits.

    A sub-agent inherits its parent's layers as rules, so that tools which arrive later are judged
    as they would be for the parent.
    """
    found = list(_own_layers(rules, run))
    known = {layer.path for layer in found}
    prefix, ancestor = "parent/", run.parent
    while ancestor is not None:
        for layer in _own_layers(rules, ancestor):
            if layer.path not in known:
                known.add(layer.path)
                found.append(attrs.evolve(layer, level=prefix + layer.level))
        prefix, ancestor = prefix + "parent/", ancestor.parent
    return tuple(found)


def _own_layers(rules: RuleSet, run: RunContext) -> Iterator[Layer]:
    yield Layer("managed", "managed", rules.managed)
    yield Layer("global", "tools", rules.tools)
    yield from _named("profile", "profiles", rules.profiles, run.profile)
    yield from _named("provider", "providers", rules.providers, run.provider, _model(run))
    yield from _named("agent", "agents", rules.agents, run.agent)
    yield from _named("channel", "channels", rules.channels, run.channel)
    yield from _named("session", "sessions", rules.sessions, run.session)
    if run.sandbox is not None:
        yield Layer("sandbox", "sandbox", rules.sandbox)
        yield from _named("sandbox", "sandbox.names", rules.sandbox.names, run.sandbox)
    if run.parent is not None:
        yield Layer("sub-agent", "subagents", rules.subagents)
        yield from _named("sub-agent", "subagents.agents", rules.subagents.agents, run.agent)


def _named(
    level: str, path: str, named: Mapping[str, LevelRules], *names: str | None
) -> Iterator[Layer]:
    """The layers whose key, a name or a glob, fits one of `names`; all that fit hold."""
    present = [folded(name) for name in names if name is not None]
    for key in sorted(named):
        pattern = Glob.of(folded(key))
        if any(pattern.fits(name) for name in present):
            yield Layer(level, f"{path}.{key}", named[key])


def _model(run: RunContext) -> str | None:
    return f"{run.provider}/{run.model}" if run.provider and run.model else None
