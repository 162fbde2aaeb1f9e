"""Configurations in throw-away places, and plugins that claim what the batteries claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pytest

from toolsearch.config import read_config, resolve_config
from toolsearch_hookspecs import Clamp, Settings, SettingsSpec


class Server(Settings):
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}


class Rules(Settings):
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


class Runner(Settings):
    node: str | None = None
    pool: Annotated[int, Clamp(0, 8)] = 2


SPECS = {
    "source-mcp": SettingsSpec(claims={"mcpServers": Mapping[str, Server]}),
    "policy-rules": SettingsSpec(
        claims={
            "tools.allow": tuple[str, ...],
            "tools.deny": tuple[str, ...],
            "agents": Mapping[str, Rules],
            "profiles": Mapping[str, Rules],
        }
    ),
    "runner-node": SettingsSpec(model=Runner),
}
INSTALLED = ("index-whoosh", "mode-code", "mode-tools", *SPECS)


@pytest.fixture
def specs():
    return SPECS


@pytest.fixture
def installed():
    return INSTALLED


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory of its own, in which file names are short."""
    home = tmp_path / "work"
    home.mkdir()
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def resolved(place, tmp_path):
    def resolve(source: Any, *, specs=SPECS, environ=None, trusted=True, installed=INSTALLED):
        if isinstance(source, str):
            (place / "toolsearch.json5").write_text(source)
            source = place / "toolsearch.json5"
        document = read_config(source, environ or {}, trusted=trusted, state_dir=tmp_path / "state")
        return resolve_config(document, specs, known_plugins=installed)

    return resolve
