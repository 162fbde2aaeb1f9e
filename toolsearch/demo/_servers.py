"""The two published MCP servers of the demo, and the throw-away repository that one of them reads."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

SERVERS = {"time": "mcp_server_time", "git": "mcp_server_git"}
INSTALL = "pip install 'toolsearch[demo]'"
COMMITS = (
    ("README.md", "# Harbour\n\nA tide table for small boats.\n", "Start with a name"),
    ("tides.csv", "hour,metres\n3,4.1\n9,0.8\n", "Add the first tide table"),
    (
        "tides.csv",
        "hour,metres\n3,4.2\n9,0.7\n15,4.0\n",
        "Correct the heights measured at the quay",
    ),
    ("alarm.txt", "warn below 1.0\n", "Warn when the water is low"),
    ("README.md", "# Harbour\n\nTides for small boats, and a warning.\n", "Say what it does"),
)


@attrs.frozen
class Servers:
    """`configured` are the `mcpServers`; `missing` says of each that is not there why, and a cure."""

    configured: dict[str, Any]
    missing: tuple[str, ...]


def demo_servers(repository: Path) -> Servers:
    """The servers that can be started here, one on a new repository."""
    missing = [name for name, module in SERVERS.items() if find_spec(module) is None]
    said = [f"the MCP server {name} is not installed: {INSTALL}" for name in missing]
    configured: dict[str, Any] = {
        name: {"command": sys.executable, "args": ["-m", module]}
        for name, module in SERVERS.items()
        if name not in missing
    }
    if "git" in configured and shutil.which("git") is None:
        del configured["git"]
        said.append("the MCP server git needs the program git, which is not on the PATH")
    if "git" in configured:
        try:
            make_repository(repository)
        except (OSError, subprocess.CalledProcessError) as error:
            del configured["git"]
            said.append(f"the MCP server git has no repository: {error}")
        else:
            configured["git"]["args"] += ["--repository", str(repository)]
    return Servers(configured, tuple(said))


def make_repository(folder: Path) -> None:
    """A small repository with a history, made without anyone's own git settings."""
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet")
    for name, text, message in COMMITS:
        (folder / name).write_text(text, encoding="utf-8")
        _git(folder, "add", name)
        _git(folder, "commit", "--quiet", "--message", message)


def _git(folder: Path, *words: str) -> None:
    settings = {
        "init.defaultBranch": "main",
        "user.name": "Demo",
        "user.email": "demo@example.invalid",
        "commit.gpgSign": "false",
        "core.hooksPath": str(folder / "no-hooks"),
        "core.autocrlf": "false",
    }
    given = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    subprocess.run(["git", *given, *words], cwd=folder, check=True, capture_output=True)
