"""Who may import whom: plugin → hookspecs ← host, and no other arrow."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLUGINS = sorted(path for path in (ROOT / "plugins").iterdir() if path.is_dir())
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


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_a_plugin_imports_the_contract_and_nothing_else_of_ours(plugin):
    own = f"toolsearch_{plugin.name.replace('-', '_')}"
    for path in plugin.glob("src/**/*.py"):
        assert ours(imported(path)) <= {"toolsearch_hookspecs", own}, path


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
    assert (plugin / f"src/toolsearch_{plugin.name.replace('-', '_')}/py.typed").exists()


def test_no_module_of_ours_is_over_350_lines():
    folders = ["toolsearch", "hookspecs/src", *(f"plugins/{path.name}/src" for path in PLUGINS)]
    long = {
        str(path.relative_to(ROOT)): count
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "vendor" not in path.parts and (count := len(path.read_text().splitlines())) > 350
    }
    assert long == {}
