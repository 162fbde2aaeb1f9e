"""`toolsearch qa`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toolsearch_hookspecs import Command, CommandContext, ConfigError, Parameter

MODES = ("direct", "tools", "directory", "code")

HELP = """Prove the whole system, end to end, with nothing but this machine.

Builds a throw-away plugin with a large catalog and installs it into a temporary environment, starts
a scripted provider, and starts the gateway once with every tool exposed directly and once in each
mode. An app then asks for something that one tool of the catalog can do. What is proven is read
from what the provider received and from the session logs: that the tool was called, what the
provider was shown, and how much smaller that is. Further lanes show what happens when the tool is
denied, when an approval is, when the source dies, and where there is no Node.

Exits with 1 where a proof fails."""

PARAMETERS = (
    Parameter(name="tools", type="int", default=36, help="How many tools the catalog has."),
    Parameter(name="modes", help="The lanes to play, by commas: direct,tools,directory,code."),
    Parameter(name="keep", type="path", help="A new folder for everything, to look at afterwards."),
    Parameter(name="aimock", help="The command of an independent mock provider to ask as well."),
)


def qa_command() -> Command:
    async def run(context: CommandContext, given: Mapping[str, Any]) -> int:
        from ._play import played
        from ._report import table

        size, modes = _size(given.get("tools")), _modes(given.get("modes"))
        with TemporaryDirectory(prefix="toolsearch-qa-") as temporary:
            folder = _folder(given.get("keep"), temporary)
            rows = await played(folder, size, modes, given.get("aimock"), _say)
        holds = all(row.holds for row in rows)
        shown = {"tools": size, "holds": holds, "rows": [row.json for row in rows]}
        context.show(shown, text=table(rows))
        return 0 if holds else 1

    return Command(name="qa", help=HELP, run=run, parameters=PARAMETERS)


def _folder(kept: str | None, temporary: str) -> Path:
    """Where everything is written: a folder that is new, or empty."""
    folder = Path(kept or temporary)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConfigError(f"--keep takes a new folder, and {folder} holds something")
    return folder.resolve()


def _size(given: Any) -> int:
    from ._catalog import TARGET, most_tools

    if not TARGET <= given <= most_tools():
        raise ConfigError(f"--tools takes {TARGET} to {most_tools()}, not {given}")
    return int(given)


def _modes(given: str | None) -> Sequence[str]:
    if given is None:
        return MODES
    named = [each.strip() for each in given.split(",") if each.strip()]
    unknown = [each for each in named if each not in MODES]
    if unknown or not named:
        raise ConfigError(
            f"--modes takes {', '.join(MODES)}, not {', '.join(unknown) or 'nothing'}"
        )
    return named


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
