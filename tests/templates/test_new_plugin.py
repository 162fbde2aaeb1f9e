"""What `toolsearch new-plugin` writes: installed from its wheel, it passes its own tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from toolsearch.cli._app import run
from toolsearch.cli._new_plugin import KINDS
from toolsearch.plugins import discover

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_installs_and_conforms_at_once(elsewhere, kind):
    name = f"sunny-{kind}"
    elsewhere.run("toolsearch", "new-plugin", name, "--kind", kind)
    folder = elsewhere.work / name
    elsewhere.install(folder)
    tested = elsewhere.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder)
    assert " passed" in tested
    checked = elsewhere.json("toolsearch", "plugins", "check", name, "--json")
    (report,) = checked["plugins"]
    assert report["problems"] == []
    assert report["distribution"] == name
    assert report["hooks"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_is_typed_and_tidy(tmp_path, kind):
    assert run(["new-plugin", "rainy-day", "--kind", kind, "--into", str(tmp_path)]) == 0
    folder = tmp_path / "rainy-day"
    texts = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert not [path for path, text in texts.items() if "my-plugin" in text or "MY_" in text]
    for command in (
        ("ruff", "check", "--config", str(ROOT / "pyproject.toml"), "src"),
        ("ruff", "format", "--check", "--config", str(ROOT / "pyproject.toml"), "src", "tests"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_new_plugins_pass_strict_type_checking(tmp_path):
    for kind in KINDS:
        name = f"typed-{kind}"
        assert run(["new-plugin", name, "--kind", kind, "--into", str(tmp_path)]) == 0
    sources = sorted(str(path) for path in tmp_path.glob("*/src/*"))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            *sources,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Sunny", "use small letters"),
        ("1st", "a letter first"),
        ("class", "can be no plugin"),
        ("toolsearch-mine", "needs its own name"),
        ("../up", "use small letters"),
    ],
)
def test_a_name_that_can_be_no_plugin_is_refused(tmp_path, capsys, name, said):
    assert run(["new-plugin", name, "--kind", "source", "--into", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep")
    assert run(["new-plugin", "mine", "--kind", "source", "--into", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("json", "'json' is a module of Python itself, which yours would hide"),
        ("policy-rules", "'policy-rules' is a plugin of toolsearch-policy-rules; of two plugins"),
    ],
)
def test_a_name_that_would_break_something_is_refused_with_what_it_would_break(
    tmp_path, capsys, name, said
):
    assert run(["new-plugin", name, "--kind", "source", "--into", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pluggy", "a module 'pluggy' can be imported here already"),
        ("cedar-policy", "a plugin 'cedar-policy' is installed here already, by"),
    ],
)
def test_a_name_that_is_installed_already_is_warned_of(tmp_path, capsys, name, said):
    if name == "cedar-policy" and not discover().named(name):
        pytest.skip("the examples are not installed here")
    assert run(["new-plugin", name, "--kind", "policy", "--into", str(tmp_path)]) == 0
    assert said in capsys.readouterr().err
    assert (tmp_path / name / "pyproject.toml").is_file()


def test_a_free_name_is_no_matter(tmp_path, capsys):
    assert run(["new-plugin", "rainy-day", "--kind", "source", "--into", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""
