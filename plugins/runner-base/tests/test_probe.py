"""Finding a runtime, and telling truly what it is isolated from."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

from toolsearch_hookspecs import CodeRunner
from toolsearch_runner_base._plain import PlainSpawner
from toolsearch_runner_base._probe import _attempt
from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import LAYERS, Channel
from toolsearch_runner_base.reading import first_line
from toolsearch_runner_base.runtime import RuntimeMissingError

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_promise_is_tried_and_held(runtime, runner):
    attestation = await runner.probe()
    assert attestation.available
    assert attestation.isolated
    assert attestation.network == "os"
    assert set(attestation.scopes.values()) == {"denied"}
    assert attestation.missing == ()
    assert {"realm", "permission", "landlock", "seccomp"} <= set(attestation.layers)


async def test_the_runner_fits_the_protocol(runtime, runner):
    assert isinstance(runner, CodeRunner)


async def test_a_probe_is_made_once_for_a_file(fresh):
    runner = fresh()
    assert await runner.probe() is await runner.probe()


async def test_another_file_under_the_same_name_is_probed_again(engine, fresh, tmp_path):
    tmp_path.chmod(0o755)
    link = tmp_path / "linked"
    link.symlink_to(engine.path)
    runner = fresh(str(link))
    first = await runner.probe()
    copy = tmp_path / "copy"
    shutil.copy(engine.path, copy)
    link.unlink()
    link.symlink_to(copy)
    second = await runner.probe()
    assert first is not second


async def test_a_runtime_that_its_own_user_may_not_start_is_run_without_that_layer(
    engine, fresh, toolbox, limits_of, tmp_path
):
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    program = hidden / "program"
    shutil.copy(engine.path, program)
    program.chmod(0o700)
    runner = fresh(str(program))
    attestation = await runner.probe()
    if os.geteuid() == 0:
        assert "uid" not in attestation.layers
        assert any("Permission denied" in reason for reason in attestation.missing)
        if engine.kind.name == "deno":  # nobody may limit the threads of root
            assert attestation.missing[0] == "worker"
            assert not attestation.available
            return
    assert attestation.isolated
    assert (await runner.run("return 1", toolbox(), limits_of())).ok


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n", "not a program at all"]
)
async def test_a_program_that_is_something_else_is_refused(engine, fresh, tmp_path, script):
    program = tmp_path / "program"
    program.write_text(script)
    program.chmod(0o755)
    attestation = await fresh(str(program)).probe()
    assert not attestation.available
    assert f"does not run as {engine.kind.title}" in attestation.cure


async def test_a_setting_that_names_nothing_is_an_error_with_the_setting(engine):
    setting = f"plugins.settings.{engine.kind.runner}.{engine.kind.name}"
    with pytest.raises(RuntimeMissingError, match=re.escape(setting)):
        engine.kind.locate("/nowhere/program")


@pytest.fixture
def no_seccomp(monkeypatch):
    """A Linux whose seccomp may not be used."""
    survey = SupervisedSpawner.survey

    async def without(spawner: SupervisedSpawner):
        return {**await survey(spawner), "seccomp": "not permitted"}

    monkeypatch.setattr(SupervisedSpawner, "survey", without)


@pytest.fixture
def closes_the_network(engine):
    """Whether the runtime closes the network by itself."""
    return engine.kind.name == "deno"


async def test_an_open_network_makes_the_runner_unavailable_and_says_so(
    fresh, no_seccomp, closes_the_network, toolbox, limits_of
):
    runner = fresh()
    attestation = await runner.probe()
    assert "seccomp: not permitted" in attestation.missing
    if closes_the_network:
        assert attestation.network == "runtime"
        assert attestation.isolated
        return
    assert attestation.network == "open"
    assert not attestation.isolated
    assert not attestation.available
    assert "net.udp" in attestation.missing
    assert "allowWeakIsolation" in attestation.cure
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"


@pytest.fixture
def no_limits(monkeypatch):
    """A system that neither filters calls nor limits threads: too little for any runtime of today."""

    async def nothing(spawner: SupervisedSpawner):
        return dict.fromkeys(LAYERS, "not permitted")

    monkeypatch.setattr(SupervisedSpawner, "survey", nothing)


async def test_weak_isolation_is_the_deployments_choice_and_logged(
    fresh, no_limits, toolbox, limits_of, caplog
):
    runner = fresh(allow_weak_isolation=True)
    attestation = await runner.probe()
    assert attestation.available
    assert not attestation.isolated
    assert "allowWeakIsolation" in caplog.text
    assert (await runner.run("return 7", toolbox(), limits_of())).value == 7


async def test_without_the_systems_layer_nothing_is_claimed_for_it(
    fresh, closes_the_network, toolbox, limits_of
):
    runner = fresh(allow_weak_isolation=True)
    runner._spawner = PlainSpawner()
    attestation = await runner.probe()
    assert attestation.layers == ("realm", "permission")
    if closes_the_network:
        assert attestation.network == "runtime"
        assert attestation.missing[0] == "worker"  # and a graphics card, where there is one
        assert "landlock: not on this platform" in attestation.missing
    elif attestation.version.startswith(("20", "22", "24")):
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


CARD = """
const card = await navigator.gpu?.requestAdapter().catch(() => null);
console.log(JSON.stringify(Boolean(card)));
"""


async def test_a_graphics_card_that_deno_gives_out_is_found_open_without_the_systems_layer(
    engine, started_with
):
    if engine.kind.name != "deno":
        pytest.skip("only Deno has a road to it")
    spawner, found = await started_with(engine)
    alone = found.command(CARD, layers=())
    card = json.loads(await first_line(spawner, alone, Channel(1 << 16, 1 << 16)))
    findings = await _attempt(found, spawner, (), restricted=True)
    assert findings["addons"] == ("open" if card else "denied")
    assert (await _attempt(found, spawner, LAYERS, restricted=True))["addons"] == "denied"
