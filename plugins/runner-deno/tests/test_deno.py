"""Finding a Deno, what it is started with, and bodies in it through a host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolsearch import Host
from toolsearch.testing import ListSource, Yields
from toolsearch_hookspecs import PluginContext
from toolsearch_runner_base.process import LAYERS
from toolsearch_runner_base.runtime import Identity
from toolsearch_runner_deno import plugin
from toolsearch_runner_deno._deno import Deno
from toolsearch_runner_deno._runner import DenoRunner
from toolsearch_runner_deno._settings import RunnerSettings

pytestmark = pytest.mark.asyncio(loop_scope="session")

PERMISSIONS = ("read", "write", "net", "env", "run", "sys", "ffi", "import")


async def attested(**settings):
    runner = DenoRunner(RunnerSettings(**({"pool": 0} | settings)), memory_mb=128)
    try:
        return await runner.probe()
    finally:
        await runner.aclose()


async def test_without_any_deno_it_says_what_would_help(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(Deno, "packaged", classmethod(lambda cls: None))
    attestation = await attested()
    assert not attestation.available
    assert "the package deno" in attestation.cure
    assert "plugins.settings.runner-deno.deno" in attestation.cure


async def test_without_a_deno_on_the_path_the_package_is_used(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert Deno.locate(None).path == Identity.of(Deno.packaged()).path


@pytest.mark.parametrize("version", ["1.46.3", "2.7.14"])
async def test_a_deno_that_is_too_old_is_refused(tmp_path, version):
    program = tmp_path / "deno"
    described = json.dumps({"version": version, "program": "/bin/sh", "files": []})
    program.write_text(f"#!/bin/sh\necho '{described}'\n")
    program.chmod(0o755)
    attestation = await attested(deno=str(program))
    assert "too old" in attestation.cure


async def test_a_script_that_starts_a_deno_is_looked_through(tmp_path):
    tmp_path.chmod(0o755)
    program = tmp_path / "deno"
    program.write_text(f'#!/bin/sh\nexec "{Deno.locate(None).path}" "$@"\n')
    program.chmod(0o755)
    assert (await attested(deno=str(program))).isolated


async def test_a_child_is_started_with_every_permission_denied():
    found = Deno(Identity("/deno", 0, 0, 0, 0), (2, 9, 0), ())
    command = found.command("1", layers=LAYERS)
    assert command.argv[1] == "run"
    assert {f"--deny-{name}" for name in PERMISSIONS} <= set(command.argv)
    assert not any(flag.startswith("--allow") for flag in command.argv)


async def test_what_deno_keeps_for_itself_is_kept_nowhere():
    """Where no layer of the system keeps it from writing, either."""
    runner = DenoRunner(RunnerSettings(pool=0), memory_mb=128)
    kept = Path.home() / ".cache" / "deno"
    before = {path: path.stat().st_mtime_ns for path in kept.rglob("*")}
    try:
        await runner.probe()
    finally:
        await runner.aclose()
    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*")} == before


def host(config, state_dir):
    tools = ("numbers", Yields(ListSource("numbers", {"double": lambda number: number * 2})))
    return Host.from_config(config, plugins=[tools], state_dir=state_dir)


CONFIG = {
    "tools": {"toolSearch": {"mode": "code"}},
    "stages": {"runner": "runner-deno"},
    "plugins": {"settings": {"runner-deno": {"pool": 1}}},
}


async def test_a_host_whose_stage_names_it_runs_bodies_in_deno(tmp_path):
    async with host(CONFIG, tmp_path) as made:
        run = await made.plan()
        assert run.mode == "code"
        code = (
            "const [hit] = await openclaw.tools.search('double');"
            "console.log(hit.name, typeof Deno);"
            "return (await openclaw.tools.call(hit.id, { number: 21 })).result;"
        )
        result = await run.handle("tool_search_code", {"code": code})
    assert result.value["value"] == 42
    assert result.value["logs"] == [{"level": "log", "text": "double undefined"}]


async def test_a_host_without_a_deno_goes_on_in_tools_mode_and_says_so(tmp_path):
    settings = {"runner-deno": {"deno": "/nowhere/deno"}}
    config = {**CONFIG, "plugins": {"settings": settings}}
    async with host(config, tmp_path) as made:
        run = await made.plan()
        assert run.mode == "tools"
        assert any("runner-deno.deno" in (each.cure or "") for each in run.diagnostics)


async def test_the_plugin_yields_one_runner_and_closes_it():
    made = plugin()
    context = PluginContext(
        name="runner-deno", settings=RunnerSettings(pool=0), base_dir=Path(), state_dir=Path()
    )
    (runner,) = made.toolsearch_code_runners(plugin=context)
    assert runner.name == "runner-deno"
    await made.toolsearch_shutdown()


async def test_the_plugin_that_yielded_nothing_closes_quietly():
    await plugin().toolsearch_shutdown()


async def test_the_settings_are_read_as_they_are_written_in_the_file():
    model = plugin().toolsearch_settings().model
    read = model.model_validate({"deno": None, "allowWeakIsolation": True, "pool": 0})
    assert (read.allow_weak_isolation, read.pool) == (True, 0)
    with pytest.raises(ValueError, match="pool"):
        model.model_validate({"pool": -1})
