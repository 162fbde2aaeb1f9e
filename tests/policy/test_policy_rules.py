"""Rules of the configuration, in a whole host."""

import asyncio

import pytest

from toolsearch import CallError, ConfigError, Host
from toolsearch_hookspecs import Approve, hookimpl

from ..conftest import ListSource


def shell(command):
    return f"ran {command}"


def source():
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    tools = {"shell": shell, "read_page": lambda: "page"}
    return ListSource("desk", tools, shell={"input_schema": schema})


def config(**rules):
    tools = {"toolSearch": {"mode": "tools"}} | rules.pop("tools", {})
    return {"tools": tools, **rules}


class Person:
    """Approves whatever is asked, and keeps what was asked."""

    def __init__(self):
        self.requests = []

    @hookimpl
    async def toolsearch_approve(self, request):
        self.requests.append(request)
        return Approve(by="ann")


async def code_of(run, tool, **arguments):
    result = await run.control("tool_call", {"id": tool, "args": arguments})
    return "ok" if result.error is None else result.error.code.value


async def test_a_denied_tool_looks_absent_in_search_describe_and_call(started):
    host = await started(config(tools={"deny": ["SHELL"]}), source())
    run = await host.plan()
    found = await run.control("tool_search", {"query": "shell"})
    assert "shell" not in str([hit["id"] for hit in found.value["hits"]])
    for name in ("plugin:desk:shell", "shell"):
        denied = await run.control("tool_describe", {"id": name})
        absent = await run.control("tool_describe", {"id": name.replace("shell", "shrub")})
        assert denied.error.code == absent.error.code == "unknown_tool"
        assert denied.error.message.replace("shell", "shrub") == absent.error.message
        assert await code_of(run, name, command="ls") == "unknown_tool"


async def test_a_conditional_deny_blocks_the_call_and_says_by_whom(started):
    rule = {"tool": "shell", "when": {"/command": "rm *"}, "reason": "nothing is removed here"}
    desk = source()
    run = await (await started(config(tools={"deny": [rule]}), desk)).plan()
    assert await code_of(run, "shell", command="ls") == "ok"
    result = await run.control("tool_call", {"id": "shell", "args": {"command": "rm -r x"}})
    assert result.error.code == "blocked"
    assert "nothing is removed here" in result.error.message
    assert "policy-rules" in result.error.by
    assert [call.arguments for call in desk.calls] == [{"command": "ls"}]


async def test_a_condition_is_judged_on_the_repaired_arguments(started):
    rule = {"tool": "shell", "when": {"/command": "rm *"}}
    desk = source()
    run = await (await started(config(tools={"deny": [rule]}), desk)).plan()
    wrapped = '{"arguments": {"command": "rm -r x"}}'
    result = await run.control("tool_call", {"id": "shell", "args": wrapped})
    assert result.error.code == "blocked"
    assert desk.calls == []


async def test_an_ask_entry_has_a_person_asked_once_with_the_level_named(started):
    person = Person()
    host = await started(
        config(agents={"clerk": {"ask": ["plugin:desk"]}}), source(), plugins=[("person", person)]
    )
    run = await host.plan(agent="clerk")
    assert await code_of(run, "shell", command="ls") == "ok"
    (request,) = person.requests
    assert "agent" in request.reasons[0].reason
    assert await code_of(await host.plan(agent="other"), "shell", command="ls") == "ok"
    assert len(person.requests) == 1


async def test_every_level_narrows_the_run_it_speaks_of(started):
    deny = {"deny": ["shell"]}
    host = await started(
        config(
            profiles={"reading": deny},
            providers={"acme": {"toolSearch": {"mode": "tools"}, **deny}},
            agents={"clerk": deny},
            channels={"mail": deny},
            sessions={"cron:*": deny},
            sandbox=deny,
        ),
        source(),
    )
    for who in (
        {"profile": "reading"},
        {"provider": "acme"},
        {"agent": "clerk"},
        {"channel": "mail"},
        {"session": "cron:1"},
        {"sandbox": "box"},
    ):
        run = await host.plan(**who)
        assert "plugin:desk:shell" not in run.catalog.by_id, who
        assert "plugin:desk:read_page" in run.catalog.by_id, who
    assert "plugin:desk:shell" in (await host.plan()).catalog.by_id


async def test_a_sub_agent_has_its_parents_rules_also_for_tools_that_arrive_later(started):
    desk = source()
    host = await started(config(agents={"main": {"deny": ["*_page"]}}), desk)
    parent = await host.plan(agent="main")
    child = await host.plan(agent="helper", parent=parent)
    late = ListSource("desk", {"write_page": lambda: "", "list": lambda: ""})
    desk.specs |= late.specs
    desk.functions |= late.functions
    desk.generation += 1
    desk.changed()
    await asyncio.sleep(0)
    assert await code_of(child, "list") == "ok"
    assert await code_of(child, "write_page") == "unknown_tool"


async def test_the_same_rules_hold_in_every_mode(started):
    host = await started(config(tools={"deny": ["shell"]}), source())
    for mode in ("tools", "directory", "direct"):
        run = await host.plan(mode=mode)
        assert set(run.catalog.by_id) == {"plugin:desk:read_page"}, mode


async def test_allow_nothing_exposes_nothing(started):
    host = await started(config(tools={"allow": []}), source())
    run = await host.plan(mode="direct")
    assert run.surface.tools == ()
    assert run.catalog.by_id == {}


async def test_rules_that_nobody_claims_stop_the_start():
    with pytest.raises(ConfigError, match="refuses to start"):
        Host.from_config({"tools": {"deny": ["x"]}, "plugins": {"disabled": ["policy-rules"]}})


async def test_a_wrong_rule_stops_the_start_with_its_place(tmp_path):
    file = tmp_path / "toolsearch.json5"
    file.write_text('{\n  tools: { deny: ["hint:readonlyy"] },\n}\n')
    with pytest.raises(ConfigError) as raised:
        Host.from_config(file)
    assert "hint:readOnly" in str(raised.value)
    assert "toolsearch.json5:2" in str(raised.value)


async def test_what_is_explained_names_the_place_in_the_file(tmp_path):
    file = tmp_path / "toolsearch.json5"
    file.write_text('{\n  agents: {\n    clerk: { deny: ["group:runtime"] },\n  },\n}\n')
    host = Host.from_config(file, environ={}, state_dir=tmp_path / "state")
    async with host:
        run = await host.plan(agent="clerk", mode="direct")
        asked = ListSource("desk", {"shell": shell})
        tool = (await _tools(asked, tmp_path))["plugin:desk:shell"]
        (told,) = await host.plugins.hooks.explain(run.context, tool, None)
    assert told.value.verdict == "deny"
    assert told.value.decided_by.level == "agent"
    assert "toolsearch.json5:3" in told.value.decided_by.reason


async def _tools(asked, tmp_path):
    class Yields:
        @hookimpl
        def toolsearch_tool_sources(self, plugin):
            return (asked,)

    async with Host.from_config(
        {}, plugins=[("yields", Yields())], environ={}, state_dir=tmp_path / "other"
    ) as host:
        return {tool.id: tool for tool in await host.all_tools()}


async def test_a_bridge_of_code_meets_the_same_rules(started):
    rule = {"tool": "shell", "when": {"/command": "rm *"}}
    host = await started(config(tools={"deny": [rule, "read_page"]}), source())
    bridge = (await host.plan()).bridge("body-1")
    with pytest.raises(CallError) as raised:
        await bridge.call("shell", {"command": "rm x"})
    assert raised.value.failure.code == "blocked"
    with pytest.raises(CallError) as raised:
        await bridge.describe("read_page")
    assert raised.value.failure.code == "unknown_tool"


async def test_an_entry_that_matches_nothing_is_told_to_the_operator_with_its_place(tmp_path):
    file = tmp_path / "toolsearch.json5"
    file.write_text('{\n  agents: { clerk: { deny: ["fssum"] } },\n')
    with file.open("a") as more:
        more.write('  plugins: { settings: { "source-python": { modules: ["math"] } } },\n}\n')
    host = Host.from_config(file, environ={}, state_dir=tmp_path / "state")
    async with host:
        for _ in range(2):
            run = await host.plan(agent="clerk", mode="tools")
            (told,) = [one for one in run.diagnostics if one.code == "policy.unmatched"]
            assert (told.level, told.cure) == ("warning", "did you mean 'fsum'?")
            assert "level agent" in told.message
            assert "toolsearch.json5:2" in told.message
        other = await host.plan(agent="other", mode="tools")
        assert [one for one in other.diagnostics if one.code == "policy.unmatched"] == []


async def test_a_level_that_voids_another_is_told_to_the_operator(started):
    host = await started(
        config(managed={"deny": ["*"]}, agents={"a": {"allow": ["shell"]}}), source()
    )
    run = await host.plan(agent="a")
    (told,) = [one for one in run.diagnostics if one.code == "policy.voided"]
    assert "agents.a.allow" in told.message
    assert "level managed" in told.message
