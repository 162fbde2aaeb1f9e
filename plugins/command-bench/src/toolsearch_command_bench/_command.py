"""`toolsearch bench`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import Command, CommandContext, Parameter, Tool, ToolsearchError

from . import _picture
from ._display import text
from ._measuring import measured
from ._report import report

MOST_TOOLS = 300


def bench_command() -> Command:
    return Command(
        name="bench",
        help="Ask for each of your tools as a model would, and say which are found.",
        run=_run,
        parameters=(
            Parameter(name="tools", type="int", default=MOST_TOOLS, help="ask for at most so many"),
            Parameter(name="limit", type="int", default=8, help="hits of a search"),
            Parameter(name="agent", default="default", help="the agent whose catalog is searched"),
            Parameter(name="plot", type="path", help="draw a picture into this file (.png, .svg)"),
        ),
    )


async def _run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
    if given["plot"] is not None:
        _picture.require()
    async with context.host() as host:
        run = await host.plan(agent=given["agent"], mode="tools")
        try:
            catalog = [t for t in await host.all_tools() if t.catalog_mode == "catalog"]
            tools = _some(catalog, given["tools"])
            if not tools:
                raise ToolsearchError("there is no tool to ask for")
            found = report(await measured(run, tools, given["limit"]), tools, len(catalog))
        finally:
            await run.aclose()
    if given["plot"] is not None:
        _picture.draw(found, Path(given["plot"]))
    context.show(found.data(), text=text(found))
    return None


def _some(tools: Sequence[Tool], most: int) -> list[Tool]:
    """The same tools each time, spread over all of them."""
    ordered = sorted(tools, key=lambda tool: tool.id)
    if len(ordered) <= most:
        return ordered
    chosen = random.Random(0).sample(ordered, most)  # noqa: S311 - no secret
    return sorted(chosen, key=lambda tool: tool.id)
