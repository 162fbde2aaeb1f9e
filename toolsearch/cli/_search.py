"""`toolsearch search` and `toolsearch describe`: what an agent would find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs
import click

from ._options import SessionCommand, pass_session, run_options
from ._runs import planned, with_tool
from ._session import Session

if TYPE_CHECKING:
    from ..runs import Run

SEARCHES = """
toolsearch search create an issue
toolsearch search --agent writer --limit 3 "read a file"
"""


@click.command(cls=SessionCommand, epilog=SEARCHES)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), help="At most this many hits.")
@run_options
@pass_session
def search(session: Session, query: tuple[str, ...], limit: int | None, who: Any) -> None:
    """Search the tools that an agent may use, best first."""

    async def find() -> None:
        async with planned(session, who) as run:
            found = await run.search(" ".join(query), limit=limit)
            searched = bool(run.catalog.tools)  # without any, that was said already
        if session.json:
            session.out.data(attrs.asdict(found, filter=lambda _, value: value is not None))
            return
        for hit in found.hits:
            session.out.text(hit["id"], bold=True)
            session.out.text(f"  {hit['description'] or 'no description'}")
            session.out.text(f"  {hit['input']}", dim=True)
        if found.hint and searched:
            session.out.note(found.hint)
        elif searched and not found.hits:
            session.out.note("nothing matched; say it in other words")

    session.wait(find())


@click.command(cls=SessionCommand)
@click.argument("tool")
@run_options
@pass_session
def describe(session: Session, tool: str, who: Any) -> None:
    """Show one tool, by id or unique name, with its exact parameters."""

    async def tell(run: Run) -> dict[str, Any]:
        return await run.describe(tool)

    described = session.wait(with_tool(session, who, tool, tell))
    if session.json:
        session.out.data(described)
        return
    session.out.text(described["id"], bold=True)
    if described["description"]:
        session.out.text(described["description"])
    rows = list(_parameters(described["inputSchema"]))
    session.out.text()
    if rows:
        session.out.table(("parameter", "type", "needed", "default", "meaning"), rows)
    else:
        session.out.text("It takes no parameters.")
    if "output" in described:
        session.out.text(f"\nIt gives {described['output']}")
    session.out.text(
        f"\nCall it: toolsearch call {described['id']} {_example(described)}", dim=True
    )


def _parameters(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
    required = schema.get("required") or ()
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        described = inner if isinstance(inner, Mapping) else {}
        default = json.dumps(described["default"]) if "default" in described else ""
        needed = "yes" if name in required else ""
        yield name, _type(described), needed, default, str(described.get("description", ""))


def _type(schema: Mapping[str, Any]) -> str:
    """One word or a few for the type of a parameter."""
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            return " | ".join(_type(branch) for branch in schema[keyword] if branch)
    if isinstance(schema.get("enum"), list):
        return " | ".join(json.dumps(value) for value in schema["enum"][:8])
    match schema.get("type"):
        case "array":
            items = schema.get("items")
            return f"{_type(items)}[]" if isinstance(items, Mapping) else "array"
        case str(word):
            return word
        case list(words):
            return " | ".join(map(str, words))
        case _:
            return "any"


def _example(described: Mapping[str, Any]) -> str:
    required = described["inputSchema"].get("required") or ()
    return " ".join(f"{name}=…" for name in required)
