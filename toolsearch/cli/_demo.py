"""`toolsearch demo`: the main job, on several hundred real tools."""

from __future__ import annotations

from contextlib import aclosing, nullcontext
from pathlib import Path
from typing import Any

import click

from ._failures import FAILURE
from ._options import SessionCommand, pass_session
from ._session import Session


@click.command(cls=SessionCommand)
@click.option(
    "--mcp-config",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own MCP servers: a file with mcpServers, as MCP clients share it.",
)
@pass_session
def demo(session: Session, mcp_config: Path | None) -> int:
    """See it work on several hundred real tools.

    Builds a catalog of functions of the standard library and two published MCP servers, plays one
    turn of an agent in each mode, and shows what policy and a hook keep from it. Nothing is
    fetched, and everything that is written goes to one new folder, which is named at the end.

    With --mcp-config your own servers take the place of the two. No tool of theirs is called but
    one that says it only reads.
    """
    if session.config or session.enable or session.disable:
        raise click.UsageError(
            "the demo has a configuration of its own; --mcp-config FILE shows your servers"
        )
    steps = session.wait(_played(session, mcp_config))
    if session.json:
        session.out.data(
            {name: step.model_dump(mode="json", by_alias=True) for name, step in steps.items()}
        )
    broken = [name for name, step in steps.items() if not step.as_promised]
    if broken:
        session.out.failure(f"not as it should be: {', '.join(broken)}")
    return FAILURE if broken else 0


async def _played(session: Session, mcp_config: Path | None) -> dict[str, Any]:
    import logging
    from tempfile import mkdtemp

    from ..demo import Screens, demo_stage, play, stage_of

    # What is logged stands on the screens too.
    logging.basicConfig(level=logging.INFO if session.verbose else logging.CRITICAL)
    folder = Path(mkdtemp(prefix="toolsearch-demo-"))
    stage = demo_stage(folder) if mcp_config is None else stage_of(folder, mcp_config)
    screens = None if session.json else Screens()
    steps = {}
    with nullcontext() if screens is None else screens.waiting():
        async with aclosing(play(stage)) as played:
            async for step in played:
                steps[step.title] = step
                if screens is not None:
                    screens.show(step)
    return steps
