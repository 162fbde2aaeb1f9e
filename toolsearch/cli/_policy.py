"""`toolsearch policy explain`: what decides over a tool, said to the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toolsearch_hookspecs import PolicyExplanation, Tool

from ..config import nearest
from ..text import fold
from ._call import arguments_of
from ._failures import Failed
from ._hints import perhaps_down
from ._options import SessionCommand, SessionGroup, pass_session, run_options
from ._session import Session

BEFORE = "toolsearch_before_tool_call"


@click.group(cls=SessionGroup)
def policy() -> None:
    """Explain what policy decides."""


@policy.command(cls=SessionCommand)
@click.argument("tool")
@click.argument("arguments", nargs=-1)
@run_options
@pass_session
def explain(session: Session, tool: str, arguments: tuple[str, ...], who: Any) -> None:
    """Say whether an agent may use TOOL, and which policy, level and entry decide.

    TOOL is an id or a name. This speaks to the operator: it also knows the tools that the agent
    is not shown. With ARGUMENTS, as for `call`, rules with conditions are decided as well.
    """
    given = arguments_of(arguments) or None

    async def ask() -> dict[str, Any]:
        async with session.host() as host:
            tools = await host.all_tools()
            asked = _asked(tool, tools, await perhaps_down(host, tool))
            async with await host.plan(**who, mode="tools") as run:
                told = await host.explain(run, asked, given)
                listed = asked.id in run.catalog.by_id
            hooks = [
                plugin.name
                for plugin in host.plugins.loaded
                if not plugin.battery and BEFORE in host.plugins.hooks_of(plugin.name)
            ]
        said = [_said(each.plugin, each.value) for each in told]
        said.sort(key=lambda each: _ORDER[each["verdict"]])
        words = [each["verdict"] for each in said]
        words += ["ask"] if asked.approval else []
        words += [] if listed else ["deny"]
        return {
            "tool": asked.id,
            "verdict": min(words, key=_ORDER.__getitem__, default="allow"),
            "listed": listed,
            "policies": said,
            "ownMark": asked.approval,
            "hooks": hooks,
        }

    data = session.wait(ask())
    if session.json:
        session.out.data(data)
        return
    _show(session, data)


_ORDER = {"deny": 0, "ask": 1, "allow": 2}


def _asked(word: str, tools: Sequence[Tool], perhaps: str) -> Tool:
    """The tool that is meant. Raises Failed, with `perhaps`, where no source has it."""
    exact = [tool for tool in tools if tool.id == word]
    found = exact or [
        tool
        for tool in tools
        if fold(word) in {fold(tool.id), fold(tool.name), *map(fold, tool.aliases)}
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = "".join(f"\n  {tool.id}" for tool in found)
        raise Failed(f"{word} is the name of several tools; name one by its id:{ids}")
    close = nearest(word, [tool.id for tool in tools]) or nearest(word, [t.name for t in tools])
    sources = "" if perhaps else "; `toolsearch stats` shows the sources"
    instead = f"; did you mean {close}?" if close else sources
    said = f"no source has a tool {word}{instead or '.' if perhaps else instead}{perhaps}"
    raise Failed(said, type="unknown_tool")


def _said(plugin: str, told: PolicyExplanation) -> dict[str, Any]:
    return {"plugin": plugin, **told.model_dump(mode="json")}


def _show(session: Session, data: dict[str, Any]) -> None:
    out = session.out
    colour = {"deny": "red", "ask": "yellow", "allow": "green"}[data["verdict"]]
    says = {"deny": "denied", "ask": "a person is asked", "allow": "allowed"}[data["verdict"]]
    out.text(f"{data['tool']}: {says}", fg=colour, bold=True)
    for told in data["policies"]:
        _show_policy(session, told)
    if data["ownMark"]:
        out.text(f"the tool itself asks for a person\n  {data['ownMark']}")
    if not data["policies"]:
        out.text("No policy has anything to say about it.")
    if data["hooks"] and data["listed"]:
        out.text(f"\nHooks that see the call may still deny or ask: {', '.join(data['hooks'])}.")
    if not data["listed"]:
        out.text("\nThis agent is not shown the tool: it is not found, described or callable.")


def _show_policy(session: Session, told: dict[str, Any]) -> None:
    """What one policy says, what decided there, and its levels where any of them says something."""
    out = session.out
    decided = told["decided_by"]
    says = {"deny": "denies it", "ask": "asks for a person", "allow": "has nothing against it"}
    if decided is not None and decided["level"]:
        entry = f", by {decided['entry']!r}" if decided["entry"] else ""
        out.text(f"decided at the level {decided['level']}{entry} ({told['plugin']})")
    else:
        out.text(f"{told['plugin']} {says[told['verdict']]}")
    if decided is not None and decided["reason"]:
        out.text(f"  {decided['reason']}")
    rows = [
        (level["level"], level["verdict"], level["entry"], level["reason"])
        for level in told["levels"]
    ]
    if any(said != "silent" for _, said, _, _ in rows):
        out.text()
        out.table(("level", "says", "entry", "why"), rows)
