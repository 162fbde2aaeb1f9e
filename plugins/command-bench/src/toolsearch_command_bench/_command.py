"""`toolsearch bench`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import Command, CommandContext, Parameter, Tool, ToolsearchError

from ._display import picture, text
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
            Parameter(name="plot", type="path", help="draw the places into this picture"),
        ),
    )


async def _run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
    async with context.host() as host:
        run = await host.plan(agent=given["agent"], mode="tools")
        try:
            everything = await host.all_tools()
            tools = _some(everything, given["tools"])
            if not tools:
                raise ToolsearchError("there is no tool to ask for")
            found = report(await measured(run, tools, given["limit"]), tools)
        finally:
            await run.aclose()
    if given["plot"] is not None:
        picture(found, Path(given["plot"]))
    context.show(found.data(), text=text(found))
    return None


def _some(tools: Sequence[Tool], most: int) -> list[Tool]:
    """The same tools each time, spread over all of them."""
    ordered = sorted(
        (tool for tool in tools if tool.catalog_mode == "catalog"), key=lambda tool: tool.id
    )
    if len(ordered) <= most:
        return ordered
    chosen = random.Random(0).sample(ordered, most)  # noqa: S311 - no secret
    return sorted(chosen, key=lambda tool: tool.id)
