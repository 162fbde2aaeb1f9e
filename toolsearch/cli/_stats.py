"""`toolsearch stats`: the size of the catalog, and what each mode would send to a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from ..runs import Cost, Exposure, Run
from ._declared import refuse_unknown_modes
from ._hints import why_empty
from ._options import SessionCommand, pass_session, run_options
from ._session import Session


@click.command(cls=SessionCommand)
@run_options
@pass_session
def stats(session: Session, who: Any) -> None:
    """Show how many tools an agent may use, by source, and what each mode costs in bytes and
    estimated tokens, in a first turn and in one whose prompt cache holds.
    """

    async def measured() -> tuple[dict[str, Any], Cost, str | None]:
        made = session.new_host()
        refuse_unknown_modes(session, made)
        async with session.host(made) as host, await host.plan(**who) as run:
            session.tell(run.diagnostics)
            return _catalog(run), await run.cost(), await why_empty(host, run)

    catalog, cost, why = session.wait(measured())
    if session.json:
        surfaces = [_row(exposure, cost) for exposure in cost.exposures]
        pick = {"mode": cost.pick, "why": cost.why}
        session.out.data({"catalog": catalog, "surfaces": surfaces, "pick": pick})
        return
    out = session.out
    if why is not None:
        out.prose(why)
        return
    rows = [(row["source"], row["owner"], row["tools"]) for row in catalog["bySource"]]
    out.table(("source", "owner", "tools"), [*rows, ("all", "", catalog["tools"])])
    out.text()
    out.table(
        ("mode", "shown", "bytes", "of direct", "first turn", "cached turn", "task", "note"),
        [_shown(exposure, cost) for exposure in cost.exposures],
    )
    out.text()
    out.prose(f"Picked by tools.toolSearch.auto: {cost.pick}. {cost.why}.")


def _catalog(run: Run) -> dict[str, Any]:
    counted = Counter((tool.source, tool.owner) for tool in run.catalog.tools)
    return {
        "tools": len(run.catalog.tools),
        "bySource": [
            {"source": source, "owner": owner, "tools": number}
            for (source, owner), number in sorted(counted.items())
        ],
    }


def _row(exposure: Exposure, cost: Cost) -> dict[str, Any]:
    direct = cost.of("direct").bytes
    return {
        "mode": exposure.mode,
        "shown": exposure.tools,
        "toolBytes": exposure.tool_bytes,
        "promptBytes": exposure.prompt_bytes,
        "bytes": exposure.bytes,
        "directBytes": direct,
        "share": exposure.bytes / direct if direct else 1.0,
        "firstTurnTokens": exposure.first_tokens,
        "cachedTurnTokens": exposure.cached_tokens,
        "foundBytes": exposure.found_bytes,
        "taskTokens": exposure.task_tokens,
        "unavailable": exposure.unavailable,
    }


def _shown(exposure: Exposure, cost: Cost) -> tuple[Any, ...]:
    row = _row(exposure, cost)
    note = f"not to be had: {exposure.unavailable}" if exposure.unavailable else ""
    return (
        row["mode"],
        row["shown"],
        row["bytes"],
        f"{row['share']:.1%}",
        f"~{row['firstTurnTokens']:,}",
        f"~{row['cachedTurnTokens']:,}",
        f"~{row['taskTokens']:,}",
        note,
    )
