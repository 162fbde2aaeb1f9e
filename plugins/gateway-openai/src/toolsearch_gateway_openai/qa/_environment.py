"""The throw-away distribution, built and installed into an environment of its own, offline."""

from __future__ import annotations

import asyncio
import json
import shutil
import site
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path

import attrs

from toolsearch_hookspecs import ToolsearchError

from ._catalog import QaCatalog

_TEMPLATE = Path(__file__).parent / "throwaway"
_DISTRIBUTION = "toolsearch-qa-catalog"


@attrs.frozen
class Environment:
    """A Python with everything that this one has, and the throw-away plugin."""

    python: Path
    wheel: Path


async def environment(folder: Path, catalog: QaCatalog) -> Environment:
    """Write the distribution, build its wheel, and install that. Raises ToolsearchError."""
    source = distribution(folder / "distribution", catalog)
    python = await asyncio.to_thread(_bare_environment, folder / "venv")
    pip = await _pip(python)
    wheels = folder / "wheels"
    common = ("--quiet", "--no-index", "--no-deps", "--disable-pip-version-check")
    await _run(*pip, "wheel", *common, "--wheel-dir", str(wheels), str(source))
    (wheel,) = wheels.glob("*.whl")
    await _run(*pip, "install", *common, str(wheel))
    return Environment(python, wheel)


def distribution(folder: Path, catalog: QaCatalog) -> Path:
    """The source of the distribution."""
    package = folder / "src" / _DISTRIBUTION.replace("-", "_")
    package.mkdir(parents=True)
    for name in ("pyproject.toml", "wheel_of_this.py"):
        shutil.copy(_TEMPLATE / name, folder / name)
    shutil.copy(_TEMPLATE / "plugin.py", package / "__init__.py")
    given = {"tools": catalog.tools, "secret": catalog.secret}
    (package / "catalog.json").write_text(json.dumps(given), encoding="utf-8")
    return folder


def _bare_environment(folder: Path) -> Path:
    """A virtual environment that sees the packages of this one behind its own."""
    venv.EnvBuilder(symlinks=sys.platform != "win32").create(folder)
    paths = {"base": str(folder), "platbase": str(folder)}
    library = Path(sysconfig.get_path("purelib", "venv", paths))
    seen = [
        *site.getsitepackages(),
        *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
    ]
    lines = [f"import site; site.addsitedir({path!r})" for path in seen if Path(path).is_dir()]
    (library / "packages_of_the_caller.pth").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return Path(sysconfig.get_path("scripts", "venv", paths)) / _python_name()


async def _pip(python: Path) -> tuple[str, ...]:
    """A pip for that environment: this one's, else the one that Python brings."""
    if find_spec("pip") is None:
        await _run(str(python), "-m", "ensurepip", "--default-pip")
    return (str(python), "-m", "pip")


def _python_name() -> str:
    return "python.exe" if sys.platform == "win32" else "python"


async def _run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    if process.returncode:
        text = said.decode(errors="replace")[-2_000:]
        raise ToolsearchError(f"{' '.join(command[1:4])} failed ({process.returncode}):\n{text}")
