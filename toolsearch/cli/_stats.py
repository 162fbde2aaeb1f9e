"""`toolsearch stats`: the size of the catalog, and what each mode would send to a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from ..runs import DIRECT, Run
from ._options import SessionCommand, pass_session, run_options
from ._session import Session


@click.command(cls=SessionCommand)
@run_options
@pass_session
def stats(session: Session, who: Any) -> None:
    """Show how many tools an agent may use, by source, and what each mode costs in bytes."""

    async def measured() -> dict[str, Any]:
        surfaces: list[dict[str, Any]] = []
        async with session.host() as host:
            rendered = {each.value.mode for each in host.plugins.hooks.mode_renderers()}
            modes = (DIRECT, *sorted(rendered))
            for mode in modes:
                async with await host.plan(**who, mode=mode) as run:
                    surfaces.append(_surface(mode, run))
                    if mode == DIRECT:
                        catalog = _catalog(run)
                        session.out.diagnostics(run.diagnostics)
        return {"catalog": catalog, "surfaces": surfaces}

    data = session.wait(measured())
    if session.json:
        session.out.data(data)
        return
    out = session.out
    catalog = data["catalog"]
    if not catalog["tools"]:
        out.text("This agent may use no tools: no source has any, or policy denies them all.")
        out.text("`toolsearch doctor` shows the sources; `toolsearch config show` the rules.")
        return
    rows = [(row["source"], row["owner"], row["tools"]) for row in catalog["bySource"]]
    out.table(("source", "owner", "tools"), [*rows, ("all", "", catalog["tools"])])
    out.text()
    out.table(
        ("mode", "tools shown", "bytes", "of direct", "note"),
        [
            (row["mode"], row["shown"], row["bytes"], f"{row['share']:.1%}", row["note"])
            for row in data["surfaces"]
        ],
    )


def _catalog(run: Run) -> dict[str, Any]:
    counted = Counter((tool.source, tool.owner) for tool in run.catalog.tools)
    return {
        "tools": len(run.catalog.tools),
        "bySource": [
            {"source": source, "owner": owner, "tools": number}
            for (source, owner), number in sorted(counted.items())
        ],
    }


def _surface(mode: str, run: Run) -> dict[str, Any]:
    surface = run.planned_surface
    size = surface.tool_bytes + surface.prompt_bytes
    note = "" if run.mode == mode else f"not to be had: {run.mode} instead"
    return {
        "mode": mode,
        "effectiveMode": run.mode,
        "shown": len(surface.model.tools),
        "toolBytes": surface.tool_bytes,
        "promptBytes": surface.prompt_bytes,
        "bytes": size,
        "directBytes": surface.direct_bytes,
        "share": size / surface.direct_bytes if surface.direct_bytes else 1.0,
        "note": note,
    }
