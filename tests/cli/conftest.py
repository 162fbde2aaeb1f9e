"""The command line in this process: its exit code and both streams, in a throw-away place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import attrs
import pytest

from toolsearch.cli._app import run


@attrs.frozen
class Ran:
    """What one command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory of its own; state and the user's own configuration beside it."""
    for name in [name for name in os.environ if name.startswith("TOOLSEARCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TOOLSEARCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("TOOLSEARCH_CONFIG_DIR", str(tmp_path / "own"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def cli(place, capsys):
    def cli(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(arguments)
        streams = capsys.readouterr()
        return Ran(code, streams.out, streams.err)

    return cli


@pytest.fixture
def process(place):
    """The command line as a process of its own, for what only a process shows."""

    def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "toolsearch", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    return process


@pytest.fixture
def shelf(place):
    """A configuration with a few real tools, one of them denied, named on the command line."""
    file = place / "shelf.json5"
    file.write_text("""{
      tools: { toolSearch: true, deny: ["textwrap:fill", "plugin:textwrap:fill"] },
      plugins: { settings: { "source-python": { modules: ["textwrap", "colorsys"] } } },
    }""")
    return ("--config", str(file))


@pytest.fixture
def third_party(tmp_path, monkeypatch):
    """Install a plugin of a third party: a module and the metadata that names it."""

    def install(name: str, source: str) -> None:
        module = f"{name.replace('-', '_')}_plugin"
        site = tmp_path / "site"
        info = site / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(source)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[toolsearch.plugins]\n{name} = {module}:plugin\n")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install
