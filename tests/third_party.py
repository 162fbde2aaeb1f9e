"""Virtual environments beside this one: what is installed here is there too."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import attrs
import pytest


@attrs.frozen
class Place:
    """A virtual environment and a working folder of a third party."""

    python: Path
    work: Path

    def run(self, *command: str, cwd: Path | None = None, **options: Any) -> str:
        """The output of a command that must succeed; `python` and `toolsearch` are the place's."""
        done = self.ran(*command, cwd=cwd, **options)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def ran(
        self, *command: str, cwd: Path | None = None, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        match command:
            case ["toolsearch", *rest]:
                command = (str(self.python), "-m", "toolsearch", *rest)
            case ["python", *rest]:
                command = (str(self.python), *rest)
        activated = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        state = {"TOOLSEARCH_STATE_DIR": str(self.work / "state"), "PATH": activated}
        return subprocess.run(
            command,
            cwd=cwd or self.work,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **state},
            **options,
        )

    def json(self, *command: str) -> Any:
        return json.loads(self.run(*command))

    def install(self, folder: Path) -> None:
        """Build the wheel of a distribution and install the file."""
        wheels = self.work / "wheels"
        self.run("python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels), cwd=folder)
        newest = max(wheels.glob("*.whl"), key=lambda path: path.stat().st_mtime)
        self.run(
            sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet",
            "--no-index", "--no-deps", "--force-reinstall", str(newest),
        )  # fmt: skip


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory) -> Place:
    """One environment for all; what this interpreter has is reached through a `.pth` file."""
    work = tmp_path_factory.mktemp("third-party")
    home = work / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    target = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    folders = [path for path in site.getsitepackages() if Path(path).is_dir()]
    lines = "".join(f"import site; site.addsitedir({folder!r})\n" for folder in folders)
    (Path(target) / "this_one.pth").write_text(lines)
    return Place(python, work)
