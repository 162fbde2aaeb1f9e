"""`toolsearch plugins`, and `plugins check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolsearch_hookspecs import ConfigError

from ..plugins import PluginSelection, discover, plugin_table, select
from ._failures import FAILURE
from ._options import SessionCommand, SessionGroup, pass_session
from ._session import Session

if TYPE_CHECKING:
    from ..plugins import Plan, PluginHost

TITLES = ("order", "plugin", "state", "distribution", "version", "why")
KEYS = ("order", "name", "state", "distribution", "version", "reason")


@click.group(cls=SessionGroup, invoke_without_command=True)
@click.option("--loaded", is_flag=True, help="Load them, and list their hooks and settings too.")
@click.pass_context
def plugins(ctx: click.Context, /, loaded: bool) -> None:
    """List the plugins in their order, and what becomes of each.

    Imports none of them unless --loaded is given, and works with every plugin and the
    configuration broken.
    """
    if ctx.invoked_subcommand is not None:
        return
    session = ctx.find_object(Session) or Session()
    out = session.out
    problem = None
    try:
        section = session.document().plugins_section()
        wanted = PluginSelection.resolve(section, session.environ, session.selection)
    except ConfigError as error:
        problem = str(error)
        wanted = PluginSelection.resolve({}, session.environ, session.selection)
    plan = select(discover(), wanted)
    session.hear_logs()
    host = _loaded(plan) if loaded else None
    rows = plugin_table(plan, host)
    if host is not None:
        rows = [{**row, "settings": _schema(host, row["name"])} for row in rows]
    problems = plan.problems if host is None else host.diagnostics
    if session.json:
        said = [each.message for each in problems]
        out.data({"plugins": rows, "problems": said, "configProblem": problem})
        return
    if problem is not None:
        out.warning(f"{problem}\n  The list goes by command line and environment alone.")
    out.diagnostics(problems)
    titles = (*TITLES, "hooks") if loaded else TITLES
    out.table(titles, [_cells(row, loaded=loaded) for row in rows])
    if not rows:
        out.text("No plugin is installed; `pip install toolsearch` brings the batteries.")


@plugins.command("check", cls=SessionCommand)
@click.argument("dist", metavar="DIST")
@pass_session
def check(session: Session, dist: str) -> int:
    """Load the plugins of one distribution alone, try them, and say what is wrong.

    DIST is the name of a distribution or of a plugin. Every source is started, with a throw-away
    state and the configuration's own settings, and lists its tools; every object that is yielded
    is held to its protocol. Exits with 1 where something is wrong. Hooks that decide are not asked:
    the conformance suites of toolsearch.testing do that.
    """
    from ._check import checked

    session.hear_logs()
    reports = checked(dist, session)
    out = session.out
    if session.json:
        out.data({"plugins": [report.as_json() for report in reports]})
    else:
        for report in reports:
            report.show(out)
    return FAILURE if any(report.problems for report in reports) else 0


def _cells(row: dict[str, Any], *, loaded: bool) -> list[Any]:
    hooks = [", ".join(name.removeprefix("toolsearch_") for name in row.get("hooks", ()))]
    return [*(row[key] for key in KEYS), *(hooks if loaded else ())]


def _loaded(plan: Plan) -> PluginHost:
    """Every plugin of the plan, loaded; raises PluginError where a named one cannot be."""
    from ..plugins import PluginHost

    return PluginHost.load(plan)


def _schema(host: PluginHost, name: str) -> dict[str, Any] | None:
    """The JSON Schema of `plugins.settings.<name>`; None where it has no settings."""
    plugin = host.plugin(name)
    spec = plugin.settings_spec if plugin else None
    return spec.model.model_json_schema(by_alias=True) if spec and spec.model else None
