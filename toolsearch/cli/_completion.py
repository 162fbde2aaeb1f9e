"""`toolsearch completion`: the script that makes a shell complete our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ._options import SessionCommand, pass_session
from ._session import Session

VARIABLE = "_TOOLSEARCH_COMPLETE"


PLACES = """
bash:  eval "$(toolsearch completion bash)"  in ~/.bashrc
zsh:   eval "$(toolsearch completion zsh)"   in ~/.zshrc, after compinit
fish:  toolsearch completion fish | source   in ~/.config/fish/config.fish
"""


@click.command(cls=SessionCommand, epilog=PLACES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_session
def completion(session: Session, shell: str) -> None:
    """Print the completion script of a shell."""
    from ._app import app

    made = get_completion_class(shell)
    assert made is not None  # noqa: S101  (the choice above)
    click.echo(made(app, {}, "toolsearch", VARIABLE).source())
