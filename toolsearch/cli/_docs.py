"""`toolsearch docs`: the reference, in the terminal."""

from __future__ import annotations

import click

from ._options import SessionCommand, pass_session
from ._session import Session


@click.command("docs", cls=SessionCommand)
@click.argument("part", metavar="[PART]", required=False)
@pass_session
def docs(session: Session, part: str | None) -> None:
    """Print a part of the reference as Markdown: hooks, contract, testing, events and others.

    Without PART it says which parts there are. It is drawn from the code that is installed.
    """
    from ..reference import PARTS, drawn

    if part is None:
        said = {name: draw.__doc__ or "" for name, draw in PARTS.items()}
        if session.json:
            session.out.data({"parts": said})
        else:
            session.out.table(("part", "what it has"), sorted(said.items()))
        return
    if part not in PARTS:
        raise click.UsageError(f"there is no part {part!r}; there are {', '.join(sorted(PARTS))}")
    if session.json:
        session.out.data({"part": part, "markdown": drawn(part)})
    else:
        session.out.text(drawn(part))
