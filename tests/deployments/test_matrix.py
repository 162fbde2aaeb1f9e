"""Deployments: any battery left out, any stage swapped, by file and by environment, and pins."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from toolsearch import Host
from toolsearch.plugins import discover
from toolsearch.testing import ListSource, Yields
from toolsearch_hookspecs import (
    Attestation,
    CodeOutcome,
    CodeRunner,
    ConfigError,
    Hit,
    ModelSurface,
    ModeRenderer,
    PluginError,
    SearchIndex,
    ToolsearchError,
    hookimpl,
)

BATTERIES = sorted(found.name for found in discover().plugins if found.battery)
TOOLS = {"tools": {"toolSearch": {"mode": "tools"}}}
NEEDED = {"index-whoosh": "index-whoosh", "mode-tools": "tools"}


def echo():
    return ("echo", Yields(ListSource("echo", {"say": lambda: "hello"})))


def host(tmp_path, config, *plugins, **more):
    return Host.from_config(
        config,
        plugins=[echo(), *plugins],
        state_dir=tmp_path / "state",
        **{"environ": {}, **more},
    )


async def says_hello(host, mode="tools"):
    async with host:
        run = await host.plan()
        assert run.mode == mode
        found = await run.handle("tool_search", {"query": "say"})
        called = await run.handle("tool_call", {"id": found.value["hits"][0]["id"], "args": {}})
        return called.value["result"] == "hello"


@pytest.mark.parametrize("battery", BATTERIES)
async def test_without_any_one_battery_a_host_works_or_says_what_it_lacks(tmp_path, battery):
    config = {**TOOLS, "plugins": {"disabled": [battery]}}
    if battery in NEEDED:
        with pytest.raises(ToolsearchError, match=NEEDED[battery]):
            assert await says_hello(host(tmp_path, config))
    else:
        assert await says_hello(host(tmp_path, config))


async def test_without_its_runner_code_becomes_tools_and_says_so(tmp_path):
    config = {"tools": {"toolSearch": {"mode": "code"}}, "plugins": {"disabled": ["runner-node"]}}
    async with host(tmp_path, config) as made:
        run = await made.plan()
        assert run.mode == "tools"
        assert any("runner-node" in each.message for each in run.diagnostics)


async def test_rules_that_no_plugin_would_read_stop_the_start(tmp_path):
    config = {"tools": {"deny": ["say"]}, "plugins": {"disabled": ["policy-rules"]}}
    with pytest.raises(ConfigError, match="deny"):
        host(tmp_path, config)


async def test_servers_that_no_plugin_would_start_are_said(tmp_path):
    servers = {"mcpServers": {"clock": {"command": "x"}}}
    made = host(tmp_path, {**TOOLS, **servers, "plugins": {"disabled": ["source-mcp"]}})
    assert any("mcpServers" in each.message for each in made.diagnostics())
    assert await says_hello(made)


class OneWord(SearchIndex):
    name = "one-word"

    async def update(self, added, removed):
        self.keys = [tool.key for tool in added]

    async def search(self, query, *, limit, allowed):
        return [Hit(key=key, score=1, confidence=1) for key in self.keys if key in allowed.keys]

    async def aclose(self):
        pass


class Bare(ModeRenderer):
    name = "bare"
    mode = "tools"
    controls = ("tool_search", "tool_call")
    needs_runner = False

    def render(self, catalog):
        return ModelSurface(tools=tuple(catalog.controls[name] for name in self.controls))

    async def handle(self, run, name, arguments, call_id):
        return await run.control(name, arguments, call_id=call_id)


class Echoes(CodeRunner):
    name = "echoes"

    async def probe(self):
        return Attestation(available=True, isolated=True, runtime="echo", network="runtime")

    async def run(self, code, bridge, limits):
        return CodeOutcome(outcome="ok", value=code)

    async def aclose(self):
        pass


class ThirdParty:
    """One plugin with a stage of each kind."""

    @hookimpl
    def toolsearch_search_indexes(self, plugin):
        return [OneWord()]

    @hookimpl
    def toolsearch_mode_renderers(self, plugin):
        return [Bare()]

    @hookimpl
    def toolsearch_code_runners(self, plugin):
        return [Echoes()]


OURS = ("third-party", ThirdParty)
STAGES = {"index": "third-party", "runner": "third-party", "modes": {"tools": "third-party"}}
VARIABLES = {
    "TOOLSEARCH_STAGES_INDEX": "third-party",
    "TOOLSEARCH_STAGES_RUNNER": "third-party",
    "TOOLSEARCH_STAGES_MODES_TOOLS": "third-party",
}


@pytest.mark.parametrize(
    ("config", "environ"),
    [({**TOOLS, "stages": STAGES}, {}), (TOOLS, VARIABLES)],
    ids=["by the file", "by the environment"],
)
async def test_every_stage_can_be_a_third_partys(tmp_path, config, environ):
    async with host(tmp_path, config, OURS, environ=environ) as made:
        run = await made.plan()
        assert [tool.name for tool in run.surface.tools] == ["tool_search", "tool_call"]
        found = await run.handle("tool_search", {"query": "whatever"})
        assert [hit["id"] for hit in found.value["hits"]] == ["plugin:echo:say"]
        code = await made.plan(mode="code")
        body = await code.handle("tool_search_code", {"code": "return 7"})
        assert "return 7" in body.text


async def test_with_stages_of_a_third_party_the_batteries_for_them_may_go(tmp_path):
    unused = ["index-whoosh", "mode-tools", "runner-node"]
    config = {**TOOLS, "stages": STAGES, "plugins": {"disabled": unused}}
    assert await says_hello(host(tmp_path, config, OURS))


@pytest.mark.parametrize("stage", ["index", "modes"])
async def test_installing_a_stage_replaces_none(tmp_path, stage):
    async with host(tmp_path, TOOLS, OURS) as made:
        run = await made.plan()
        assert "tool_describe" in {tool.name for tool in run.surface.tools}
        assert not (await run.handle("tool_search", {"query": "kwyjibo"})).value["hits"]


async def test_a_stage_that_nobody_offers_is_met_with_the_nearest(tmp_path):
    with pytest.raises(ConfigError, match='did you mean "third-party"'):
        await says_hello(host(tmp_path, {**TOOLS, "stages": {"index": "third-prty"}}, OURS))


async def test_the_environment_goes_over_the_file_and_the_command_line_over_both(tmp_path):
    config = {**TOOLS, "plugins": {"disabled": ["mode-directory"]}}
    environ = {"TOOLSEARCH_PLUGINS_DISABLED": "telemetry-jsonl"}
    by_environment = host(tmp_path, config, environ=environ)
    names = {plugin.name for plugin in by_environment.plugins.loaded}
    assert "mode-directory" in names
    assert "telemetry-jsonl" not in names
    by_command = host(tmp_path, config, environ=environ, selection={"disabled": ["mode-code"]})
    names = {plugin.name for plugin in by_command.plugins.loaded}
    assert "telemetry-jsonl" in names
    assert "mode-code" not in names
    await by_environment.aclose()
    await by_command.aclose()


async def test_a_pinned_battery_is_loaded_and_another_version_of_it_is_not(tmp_path):
    installed = version("toolsearch-mode-tools")
    right = {"plugins": {"pins": {"mode-tools": f"toolsearch-mode-tools=={installed}"}}}
    assert await says_hello(host(tmp_path, {**TOOLS, **right}))
    wrong = {"plugins": {"pins": {"mode-tools": "toolsearch-mode-tools==0.0.1"}}}
    with pytest.raises((ConfigError, PluginError), match=r"0\.0\.1|tools"):
        await says_hello(host(tmp_path, {**TOOLS, **wrong}))
