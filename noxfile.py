"""Everything that is checked: `pip install 'nox[uv]' && nox` runs lint, types, tests and wheels.

No session downloads an interpreter; one that is not there is skipped with a message.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import nox

os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "types", "tests", "wheels", "installs", "docs"]

ROOT = Path(__file__).parent
TEMPORARY = tempfile.gettempdir()  # outside the checkout, where a test looks for no repository
PYTHON = "3.11"
OTHER_PYTHONS = ["3.12", "3.13"]
PLUGINS = sorted(folder for folder in (ROOT / "plugins").iterdir() if folder.is_dir())
DISTRIBUTIONS = [ROOT / "hookspecs", *PLUGINS, ROOT]
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))
WHEEL_TESTS = [
    "test_main_job.py", "test_readme.py", "calls", "catalog", "cli", "config", "plugins", "policy",
    "runs", "telemetry",
]  # fmt: skip
PACKAGES = [
    "toolsearch", "toolsearch_hookspecs",
    *(f"toolsearch_{p.name.replace('-', '_')}" for p in PLUGINS),
]  # fmt: skip


# Much of what is tested waits for processes of its own; a file's tests share what is dear to start.
SIDE_BY_SIDE = ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]


def dev(group: str = "dev") -> list[str]:
    return nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), group)


def install_all(session: nox.Session, *extras: str) -> None:
    """All distributions as they stand in the checkout, and what the tests need besides."""
    host = f".[{','.join(('demo', 'fast', *extras))}]"
    folders = ["./hookspecs", *(f"./{p.relative_to(ROOT)}" for p in (*PLUGINS, *EXAMPLES)), host]
    session.install(*(part for folder in folders for part in ("-e", folder)), *dev())


def throw_away(session: nox.Session) -> dict[str, str]:
    """An environment whose state stays in the session's own folder."""
    return {"TOOLSEARCH_STATE_DIR": str(Path(session.create_tmp()) / "state")}


@nox.session(python=PYTHON)
def lint(session: nox.Session) -> None:
    """ruff, checks and format."""
    session.install("ruff>=0.9")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session(python=PYTHON)
def types(session: nox.Session) -> None:
    """mypy strict over the host, the contract and the batteries."""
    install_all(session)
    session.run("mypy", *(part for package in PACKAGES for part in ("-p", package)))


@nox.session(python=PYTHON)
def tests(session: nox.Session) -> None:
    """The whole suite, from the checkout."""
    install_all(session)
    session.install(*dev("frameworks"))
    session.run("python", "-m", "pytest", *SIDE_BY_SIDE, *session.posargs)


@nox.session(python=PYTHON)
def docs(session: nox.Session) -> None:
    """The documentation; a warning is an error."""
    install_all(session)
    session.install(*dev("docs"))
    site = str(Path(session.create_tmp()) / "site")
    session.run("mkdocs", "build", "--strict", "-q", "-d", site, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session(python=PYTHON)
def wheels(session: nox.Session) -> None:
    """Build every distribution, install the built files elsewhere, run the suite there."""
    wheel_dir = Path(session.create_tmp()) / "wheels"
    elsewhere = Path(session.create_tmp()) / "elsewhere"
    for folder in (wheel_dir, elsewhere):
        session.run("python", "-c", f"import shutil; shutil.rmtree({str(folder)!r}, True)")
        folder.mkdir(parents=True, exist_ok=True)
    session.install("build", "hatchling")
    for distribution in (*DISTRIBUTIONS, *EXAMPLES):
        session.run(
            "python", "-m", "build", "--wheel", "--no-isolation", "-o", str(wheel_dir),
            str(distribution), silent=True,
        )  # fmt: skip
    built = sorted(map(str, wheel_dir.glob("*.whl")))
    host = next(path for path in built if Path(path).name.startswith("toolsearch-"))
    others = [path for path in built if path != host]
    session.install("--force-reinstall", "--no-deps", *built)
    session.install(f"{host}[demo,fast]", *others, *dev())
    with session.chdir(elsewhere):
        session.run("python", "-P", "-m", "toolsearch", "plugins", "--json", silent=True)
        session.run(
            "python", "-P", "-m", "pytest", "-c", str(ROOT / "pyproject.toml"),
            f"--rootdir={ROOT}", "-p", "no:cacheprovider", "-m", "not slow", *SIDE_BY_SIDE,
            *(str(ROOT / "tests" / part) for part in WHEEL_TESTS), *session.posargs,
            env={"TMPDIR": TEMPORARY},
        )  # fmt: skip


@nox.session(python=[PYTHON, *OTHER_PYTHONS], venv_backend="virtualenv")  # pip, as in the README
def installs(session: nox.Session) -> None:
    """The README's two ways to install, on every interpreter that is there, and the demo."""
    session.install("./hookspecs", *(f"./plugins/{p.name}" for p in PLUGINS), ".[demo]")
    session.run("toolsearch", "demo", "--json", silent=True, env=throw_away(session))
    session.install("uv>=0.5")
    session.run(
        "uv", "sync", "--all-packages", "--extra", "demo", "--no-dev", "--quiet",
        "--python", str(session.python),
        env={"UV_PROJECT_ENVIRONMENT": str(Path(session.create_tmp()) / "uv")},
    )  # fmt: skip
    synced = Path(session.create_tmp()) / "uv" / "bin" / "toolsearch"
    session.run(str(synced), "plugins", "--json", silent=True, external=True)


@nox.session(python=OTHER_PYTHONS)
def interpreters(session: nox.Session) -> None:
    """The whole suite on the other interpreters."""
    install_all(session)
    session.run("python", "-m", "pytest", *SIDE_BY_SIDE, *session.posargs)
