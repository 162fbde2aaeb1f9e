"""Who may import whom: plugin → hookspecs ← host, runner → runner-base, and no other arrow."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# For authors of plugins of one kind, with the names that those begin with. They are no plugins.
LIBRARIES = {"runner-base": "runner-"}
DISTRIBUTIONS = sorted(path for path in (ROOT / "plugins").iterdir() if path.is_dir())
PLUGINS = [path for path in DISTRIBUTIONS if path.name not in LIBRARIES]
CONTRACT_MAY = {
    "toolsearch_hookspecs",
    "pluggy",
    "pydantic",
    "pydantic_core",
}  # the last comes with pydantic


def imported(path: Path) -> set[str]:
    """The top-level names of every import in a file, wherever in the file it stands."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name.split(".")[0] for alias in aliases}
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module.split(".")[0])
    return names


def ours(names: set[str]) -> set[str]:
    return {name for name in names if name == "toolsearch" or name.startswith("toolsearch_")}


def package(name: str) -> str:
    return f"toolsearch_{name.replace('-', '_')}"


def libraries_of(distribution: str) -> set[str]:
    """What a distribution may use besides the contract."""
    return {
        package(library)
        for library, kind in LIBRARIES.items()
        if distribution.startswith(kind) and distribution not in LIBRARIES
    }


@pytest.mark.parametrize("plugin", DISTRIBUTIONS, ids=lambda path: path.name)
def test_a_plugin_imports_the_contract_the_library_of_its_kind_and_nothing_else_of_ours(plugin):
    may = {"toolsearch_hookspecs", package(plugin.name), *libraries_of(plugin.name)}
    for path in plugin.glob("src/**/*.py"):
        assert ours(imported(path)) <= may, path


@pytest.mark.parametrize("plugin", DISTRIBUTIONS, ids=lambda path: path.name)
def test_a_distribution_requires_of_ours_what_it_imports_and_pins_it(plugin):
    import tomllib

    project = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]
    required = {each for each in project["dependencies"] if each.startswith("toolsearch-")}
    used = {name for path in plugin.glob("src/**/*.py") for name in ours(imported(path))}
    used -= {package(plugin.name)}
    assert required == {f"{name.replace('_', '-')}=={project['version']}" for name in used}


def test_only_runners_may_use_what_runners_share():
    assert libraries_of("runner-node") == {"toolsearch_runner_base"}
    assert libraries_of("mode-code") == set()
    assert libraries_of("runner-base") == set()


def test_the_host_imports_no_plugin():
    for path in (ROOT / "toolsearch").rglob("*.py"):
        if "templates" not in path.parts:
            assert ours(imported(path)) <= {"toolsearch", "toolsearch_hookspecs"}, path


def test_the_contract_needs_pluggy_and_pydantic_only():
    import sys

    for path in (ROOT / "hookspecs/src").rglob("*.py"):
        assert imported(path) - set(sys.stdlib_module_names) <= CONTRACT_MAY, path


def test_the_contract_is_short_enough_to_read_in_one_sitting():
    texts = {"_clean.py", "_line.py", "_redact.py", "__init__.py"}
    contract = [p for p in (ROOT / "hookspecs/src").rglob("*.py") if p.name not in texts]
    assert sum(len(path.read_text().splitlines()) for path in contract) < 1500


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_a_plugin_folder_holds_one_distribution_with_one_entry_point_of_its_name(plugin):
    import tomllib

    project = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]
    assert project["name"] == f"toolsearch-{plugin.name}"
    assert list(project["entry-points"]["toolsearch.plugins"]) == [plugin.name]
    assert (plugin / f"src/{package(plugin.name)}/py.typed").exists()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_a_distribution_without_an_entry_point(library):
    import tomllib

    folder = ROOT / "plugins" / library
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == f"toolsearch-{library}"
    assert "entry-points" not in project
    assert (folder / f"src/{package(library)}/py.typed").exists()


def test_no_module_of_ours_is_over_350_lines():
    folders = [
        "toolsearch",
        "hookspecs/src",
        *(f"plugins/{path.name}/src" for path in DISTRIBUTIONS),
    ]
    long = {
        str(path.relative_to(ROOT)): count
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "vendor" not in path.parts and (count := len(path.read_text().splitlines())) > 350
    }
    assert long == {}
