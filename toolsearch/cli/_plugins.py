"""`toolsearch plugins`: what is installed and what becomes of it, from metadata alone."""

from __future__ import annotations

import click

from toolsearch_hookspecs import ConfigError

from ..plugins import PluginSelection, discover, plugin_table, select
from ._options import SessionCommand, pass_session
from ._session import Session


@click.command(cls=SessionCommand)
@pass_session
def plugins(session: Session) -> None:
    """List the plugins in their order, and what becomes of each.

    Imports none of them, and works with every plugin and the configuration broken.
    """
    out = session.out
    problem = None
    try:
        section = session.document().plugins_section()
        wanted = PluginSelection.resolve(section, session.environ, session.selection)
    except ConfigError as error:
        problem = str(error)
        wanted = PluginSelection.resolve({}, session.environ, session.selection)
    plan = select(discover(), wanted)
    rows = plugin_table(plan)
    if session.json:
        out.data(
            {
                "plugins": rows,
                "problems": [each.message for each in plan.problems],
                "configProblem": problem,
            }
        )
        return
    if problem is not None:
        out.warning(f"{problem}\n  The list goes by command line and environment alone.")
    out.diagnostics(plan.problems)
    out.table(
        ("order", "plugin", "state", "distribution", "version", "why"),
        [
            (
                row["order"],
                row["name"],
                row["state"],
                row["distribution"],
                row["version"],
                row["reason"],
            )
            for row in rows
        ],
    )
    if not rows:
        out.text("No plugin is installed; `pip install toolsearch` brings the batteries.")
