"""Distributions of third parties: built, installed as wheels, turned on in a deployment."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import attrs
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDS = {"cedar-policy": "cedarpy", "webhook-approver": "httpx2"}


@pytest.fixture
def deployed(elsewhere, tmp_path):
    """Installs one example, runs its own tests there, and gives a deployment with it."""

    def deploy(example: str, config: dict) -> object:
        if example in NEEDS:
            pytest.importorskip(NEEDS[example])
        folder = tmp_path / example
        shutil.copytree(EXAMPLES / example, folder, ignore=shutil.ignore_patterns("__pycache__"))
        elsewhere.install(folder)
        shutil.rmtree(folder / "src")
        (folder / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
        options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib")
        tested = elsewhere.run("python", "-m", "pytest", *options, "tests", cwd=folder)
        assert " passed" in tested
        (tmp_path / "toolsearch.json5").write_text(json.dumps(config))
        return attrs.evolve(elsewhere, work=tmp_path)

    return deploy


def config(example: str, settings: dict, **more: object) -> dict:
    plugins = {"enabled": [example], "settings": {example: settings}}
    return {"tools": {"toolSearch": {"mode": "tools"}}, "plugins": plugins} | more


def command(place, *given: str):
    return place.json("toolsearch", "--config", "toolsearch.json5", *given, "--json")


@pytest.mark.slow
def test_tables_of_a_database_are_found_and_read(deployed, tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.sqlite3")) as connection:
        connection.executescript(
            "CREATE TABLE customers (id INTEGER, city TEXT);"
            "INSERT INTO customers VALUES (1, 'Bremen'), (2, 'Turin');"
        )
    place = deployed("sqlite-tables", config("sqlite-tables", {"path": "shop.sqlite3"}))
    assert "find_customers" in json.dumps(command(place, "search", "customers"))
    called = command(place, "call", "find_customers", 'where:={"city": "Turin"}')
    assert '"id": 2' in json.dumps(called)


@pytest.mark.slow
def test_cedar_decides_what_an_agent_finds(deployed, tmp_path):
    (tmp_path / "tools.cedar").write_text(
        'permit (principal == Agent::"main", action, resource) when { resource.name == "mean" };'
    )
    modules = {"source-python": {"modules": ["statistics"]}}
    given = config("cedar-policy", {"path": "tools.cedar"})
    given["plugins"]["settings"] |= modules
    place = deployed("cedar-policy", given)
    assert "statistics:mean" in json.dumps(command(place, "search", "mean", "--agent", "main"))
    assert "statistics" not in json.dumps(command(place, "search", "mean", "--agent", "other"))


@pytest.mark.slow
def test_an_approver_without_its_secret_stops_the_start_and_says_why(deployed):
    given = config("webhook-approver", {"url": "http://127.0.0.1:9/ask"})
    place = deployed("webhook-approver", given)
    done = place.ran("toolsearch", "--config", "toolsearch.json5", "doctor")
    assert done.returncode != 0
    assert "WEBHOOK_APPROVER_SECRET" in done.stdout + done.stderr
