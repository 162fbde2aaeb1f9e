"""One distribution's plugins, loaded alone and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import HOOK_RULES, ConfigError, PluginContext, PluginError

from ..isolation import contained
from ..plugins import FoundPlugin, PluginHost, PluginSelection, discover, select
from ._failures import Failed
from ._output import Output
from ._session import Session

YIELDS = {
    "toolsearch_tool_sources": "tool_sources",
    "toolsearch_search_indexes": "search_indexes",
    "toolsearch_mode_renderers": "mode_renderers",
    "toolsearch_code_runners": "code_runners",
    "toolsearch_surfaces": "surfaces",
    "toolsearch_commands": "commands",
}


@attrs.frozen
class Report:
    """What one plugin does, where it stands, and what is wrong with it."""

    name: str
    distribution: str
    version: str | None
    order: int
    of: int
    hooks: tuple[str, ...] = ()
    yields: Mapping[str, tuple[str, ...]] = attrs.Factory(dict)
    claims: tuple[str, ...] = ()
    settings: Mapping[str, Any] | None = None
    problems: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        rules = [HOOK_RULES[name].model_dump(mode="json") for name in self.hooks]
        return {**attrs.asdict(self), "hooks": rules}

    def show(self, out: Output) -> None:
        out.text(f"{self.name} ({self.distribution} {self.version or 'of unknown version'})")
        out.text(f"It stands at {self.order} of {self.of} in the order of plugins.\n")
        rules = [HOOK_RULES[name] for name in self.hooks]
        out.table(
            ("hook", "when", "answers combine", "if it fails"),
            [(rule.name, rule.when, rule.combines, rule.on_failure.value) for rule in rules],
        )
        for hook, names in self.yields.items():
            out.text(f"\n{hook} yields {', '.join(names) or 'nothing'}.")
        if self.claims:
            out.text(f"\nIt claims {', '.join(self.claims)}.")
        properties = (self.settings or {}).get("properties", {})
        if properties:
            out.text(f"\nplugins.settings.{self.name} takes {', '.join(properties)}.")
        for problem in self.problems:
            out.failure(problem)
        if not self.problems:
            out.text("\nNothing is wrong with it.")


def checked(asked: str, session: Session) -> list[Report]:
    """A report for each plugin of the distribution (or plugin) of that name."""
    from ..plugins._discovery import normalized

    everything = discover().plugins
    found = [
        each
        for each in everything
        if asked == each.name or normalized(asked) == normalized(each.distribution)
    ]
    if not found:
        from difflib import get_close_matches

        names = {name for each in everything for name in (each.name, each.distribution)}
        close = get_close_matches(asked, names, 1)
        meant = f"; did you mean {close[0]!r}?" if close else "; is it installed in this Python?"
        raise Failed(f"no installed plugin or distribution is called {asked!r}{meant}")
    order = _order(session)
    return [_report(each, order, everything, session) for each in found]


def _order(session: Session) -> Sequence[str]:
    """Every plugin's name in the order of this deployment."""
    try:
        section = session.document().plugins_section()
    except ConfigError:
        section = {}
    wanted = PluginSelection.resolve(section, session.environ, session.selection)
    return [planned.name for planned in select(discover(), wanted).plugins]


def _report(
    found: FoundPlugin, order: Sequence[str], everything: Sequence[FoundPlugin], session: Session
) -> Report:
    others = sorted({each.name for each in everything} - {found.name})
    report = Report(
        name=found.name,
        distribution=found.distribution,
        version=found.version,
        order=order.index(found.name) + 1,
        of=len(order),
        problems=_depends(found),
    )
    alone = PluginSelection(enabled=(found.name,), disabled=tuple(others))
    try:
        host = PluginHost.load(select(discover(), alone))
        host.configure({found.name: _context(host, found.name, session)})
    except (PluginError, ConfigError) as error:
        return attrs.evolve(report, problems=(*report.problems, str(error)))
    hooks = tuple(name for name in HOOK_RULES if name in host.hooks_of(found.name))
    yields = {
        hook: tuple(sorted(item.value.name for item in getattr(host.hooks, method)()))
        for hook, method in YIELDS.items()
        if hook in hooks
    }
    plugin = host.plugin(found.name)
    spec = plugin.settings_spec if plugin else None
    model = spec.model if spec else None
    problems = [*report.problems, *(each.message for each in host.diagnostics)]
    problems += _closing(host, session)
    if not hooks:
        problems.append("it implements no hook; mark its methods with @hookimpl")
    return attrs.evolve(
        report,
        hooks=hooks,
        yields=yields,
        claims=tuple(spec.claims) if spec else (),
        settings=model.model_json_schema(by_alias=True) if model else None,
        problems=tuple(problems),
    )


def _context(host: PluginHost, name: str, session: Session) -> PluginContext:
    """The plugin's context with the settings of this deployment, and no claimed keys.

    Raises ConfigError for settings that its model does not take.
    """
    from pydantic import ValidationError

    document = session.document()
    plugin = host.plugin(name)
    spec = plugin.settings_spec if plugin else None
    given = document.plugins_section().get("settings", {}).get(name, {})
    try:
        settings = spec.model.model_validate(given) if spec and spec.model else None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"plugins.settings.{name}.{place}: {first['msg']}") from None
    return PluginContext(
        name=name,
        settings=settings,
        base_dir=document.base_dir,
        state_dir=document.state_dir,
        environ=session.environ,
    )


def _closing(host: PluginHost, session: Session) -> list[str]:
    """Close it; gives what went wrong."""
    outcome = session.wait(contained(host.shutdown))
    if outcome.failure is not None:
        return [f"closing it raised {type(outcome.failure).__name__}: {outcome.failure}"]
    return [each.message for each in outcome.value]


def _depends(found: FoundPlugin) -> tuple[str, ...]:
    """What is wrong with what the distribution requires."""
    from ..plugins._discovery import normalized

    required = [line.partition(";")[0].strip() for line in found.installed.requires or ()]
    names = {normalized(_distribution_of(line)): line for line in required}
    wrong = []
    if not found.battery and "toolsearch-hookspecs" not in names:
        wrong.append(
            "it does not require toolsearch-hookspecs; add a range of the contract's versions, "
            "such as toolsearch-hookspecs>=0.1,<0.2"
        )
    if "toolsearch" in names:
        wrong.append("it requires the host, toolsearch; a plugin needs toolsearch-hookspecs alone")
    return tuple(wrong)


def _distribution_of(requirement: str) -> str:
    import re

    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
