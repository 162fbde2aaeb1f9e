"""`toolsearch new-plugin`: a small distribution that installs and passes its tests at once."""

from __future__ import annotations

import keyword
import re
import sys
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ..plugins import discover
from ._options import SessionCommand, pass_session
from ._session import Session

NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TAKEN = frozenset({"toolsearch", "test", "tests"})

ENABLED = '{ plugins: { enabled: ["my-plugin"] } }'
KINDS = {
    "source": ("a tool source", ENABLED),
    "policy": ("a policy", ENABLED),
    "index": (
        "a search index",
        '{ plugins: { enabled: ["my-plugin"] }, stages: { index: "my-plugin" } }',
    ),
    "mode": (
        "a mode renderer",
        '{ plugins: { enabled: ["my-plugin"] }, tools: { toolSearch: { mode: "my-plugin" } } }',
    ),
    "runner": (
        "a code runner",
        '{ plugins: { enabled: ["my-plugin"] }, stages: { runner: "my-plugin" } }',
    ),
    "approver": ("an approver", ENABLED),
    "hook": ("a hook around every call", ENABLED),
    "telemetry": ("a telemetry sink", ENABLED),
    "surface": ("a surface, a provider's form of tools", ENABLED),
}
"""Kind, what it is called, and the configuration that turns it on."""


@click.command("new-plugin", cls=SessionCommand)
@click.argument("name", metavar="NAME")
@click.option(
    "--kind", type=click.Choice(list(KINDS)), required=True, help="What the plugin is to be."
)
@click.option(
    "--into",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where the plugin's own folder is made; here unless given.",
)
@pass_session
def new_plugin(session: Session, name: str, kind: str, into: Path) -> None:
    """Write a new plugin: a distribution with types, a README and its conformance tests."""
    package = _package(name)
    if (warning := _neighbours(name, package)) is not None:
        session.out.warning(warning)
    folder = into / name
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is there already and is not empty; name another plugin")
    files = _files(name, package, kind)
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    if session.json:
        session.out.data({"folder": str(folder), "kind": kind, "files": sorted(files)})
        return
    session.out.text(f"{folder} holds {KINDS[kind][0]}. Go on with:\n")
    session.out.text(f"  cd {folder}\n  pip install -e . pytest\n  python -m pytest")
    session.out.text(f"  toolsearch plugins check {name}")


def _package(name: str) -> str:
    """The package's name. Raises UsageError for what can be no entry point or no package."""
    package = name.replace("-", "_")
    if not NAME.fullmatch(name) or keyword.iskeyword(package):
        raise click.UsageError(
            f"{name!r} can be no plugin; use small letters, digits and '-', a letter first"
        )
    if name in TAKEN or name.startswith("toolsearch-"):
        raise click.UsageError(f"{name!r} is taken; a third party's plugin needs its own name")
    if package in sys.stdlib_module_names:
        raise click.UsageError(
            f"{package!r} is a module of Python itself, which yours would hide; name it otherwise"
        )
    battery = next((each for each in discover().named(name) if each.battery), None)
    if battery is not None:
        raise click.UsageError(
            f"{name!r} is a plugin of {battery.distribution}; of two plugins with one name a host "
            "takes neither. Name it otherwise"
        )
    return package


def _neighbours(name: str, package: str) -> str | None:
    """What is installed here under the name already, and would meet the new plugin."""
    offered = discover().named(name)
    if offered:
        return (
            f"a plugin {name!r} is installed here already, by {offered[0].distribution}; of two "
            "with one name a host takes neither. Uninstall that one first, unless it is this one"
        )
    if find_spec(package) is not None:
        return (
            f"a module {package!r} can be imported here already; one of the two would hide the "
            "other, unless it is this one"
        )
    return None


def _files(name: str, package: str, kind: str) -> dict[str, str]:
    """Every file of the distribution by its path."""
    from importlib.metadata import version

    major, minor, *_ = version("toolsearch-hookspecs").split(".")
    said, configuration = KINDS[kind]
    words = {
        "MY_CONFIGURATION": configuration.replace("my-plugin", name),
        "MY_CONTRACT": f"{major}.{minor}",
        "MY_NEXT": f"{major}.{int(minor) + 1}",
        "MY_KIND": said,
        "my-plugin": name,
        "my_plugin": package,
        "my-engine": f"{name}-engine",
        "MyPlugin": _camel(name),
        **{f"My{end}": f"{_camel(name)}{end}" for end in ENDS},
    }
    templates: Any = resources.files("toolsearch") / "templates"

    def filled(*path: str) -> str:
        text = templates.joinpath(*path).read_text(encoding="utf-8")
        return re.sub("|".join(sorted(words, key=len, reverse=True)), lambda m: words[m[0]], text)

    return {
        "pyproject.toml": filled("pyproject.toml.txt"),
        "README.md": filled("README.md.txt"),
        f"src/{package}/__init__.py": filled(kind, "plugin.py.txt"),
        f"src/{package}/py.typed": "",
        "tests/test_conformance.py": filled(kind, "test_conformance.py.txt"),
    }


ENDS = ("Source", "Settings", "Policy", "Index", "Mode", "Runner", "Approver", "Sink", "Surface")


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))
