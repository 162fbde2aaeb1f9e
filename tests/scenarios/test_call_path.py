"""Reports from users of other software about the path of a call, each as its symptom."""

import asyncio
import json

import pytest

from toolsearch import ClientTool, Host
from toolsearch_hookspecs import Approve, Deny, Proceed, ToolError, ToolSpec, hookimpl

from ..conftest import ListSource

PATHS = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
    "additionalProperties": False,
}


class Hooks:
    """Before and after hooks that answer as told and keep what they saw."""

    def __init__(self, before=None):
        self.answer = before
        self.before, self.after = [], []

    @hookimpl(inline=True)
    def toolsearch_before_tool_call(self, call):
        self.before.append(call)
        return self.answer

    @hookimpl(inline=True)
    def toolsearch_after_tool_call(self, call, result):
        self.after.append((call, result))


def echo(name="run", schema=None, **spec):
    source = ListSource("shell", {name: lambda **given: given})
    source.specs[name] = ToolSpec(
        name=name, description=f"{name} something", input_schema=schema or PATHS, **spec
    )
    return source


async def called(started, source, arguments, **more):
    run = await (await started(None, source, **more)).plan()
    return await run.handle("tool_call", arguments)


async def test_openclaw_96115_a_field_beside_the_id_reaches_the_tool(started):
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    result = await called(started, echo(schema=schema), {"id": "run", "command": "x"})
    assert result.value["result"] == {"command": "x"}


async def test_openclaw_96115_fields_with_two_readings_are_an_error_not_the_wrong_call(started):
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    source = echo(schema=schema)
    given = {"id": "run", "command": "x", "args": {"command": "rm"}}
    result = await called(started, source, given)
    assert result.error.code == "invalid_arguments"
    assert source.calls == []


async def test_openclaw_119418_dotted_fields_are_put_where_they_belong(started):
    given = {"id": "run", "args": {}, "args.path": "/a", "args.limit": 2}
    result = await called(started, echo(), given)
    assert result.value["result"] == {"path": "/a", "limit": 2}


async def test_openclaw_143180_a_dotted_field_that_contradicts_a_nested_one_is_an_error(started):
    source = echo()
    result = await called(started, source, {"id": "run", "args": {"limit": 1}, "args.limit": 2})
    assert result.error.code == "invalid_arguments"
    assert source.calls == []


@pytest.mark.parametrize(
    "args",
    [
        {"arguments": {"path": "/a"}},
        {"name": "run", "arguments": {"path": "/a"}},
        {"parameters": {"path": "/a"}},
        '{"path": "/a"}',
        '{"arguments": "{\\"path\\": \\"/a\\"}"}',
    ],
)
async def test_openclaw_142304_wrapped_arguments_are_unwrapped_before_validation(started, args):
    result = await called(started, echo(), {"id": "run", "args": args})
    assert result.value["result"] == {"path": "/a"}


@pytest.mark.parametrize(
    "args", ['{"path": "/secret-malformed', [1, "secret-malformed"], "secret-malformed"]
)
async def test_firecrawl_279_an_error_does_not_repeat_what_was_malformed(started, args):
    result = await called(started, echo(), {"id": "run", "args": args})
    assert result.error.code == "invalid_arguments"
    assert "secret-malformed" not in result.text


COUNTS = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "on": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "integer"}},
    },
}


async def test_fastmcp_883_strings_stand_for_what_the_schema_wants_and_it_is_noted(started):
    source = echo(schema=COUNTS)
    host = await started(None, source)
    run = await host.plan()
    given = {"n": "5", "on": "true", "list": "[1,2]"}
    result = await run.handle("tool_call", {"id": "run", "args": given})
    assert result.value["result"] == {"n": 5, "on": True, "list": [1, 2]}
    await host.plugins.hooks.drain()
    (ended,) = host.events.of("call.ended")
    assert ended.data["repairs"] == 3


async def test_fastmcp_932_a_string_that_stands_for_nothing_is_refused(started):
    source = echo(schema=COUNTS)
    result = await called(started, source, {"id": "run", "args": {"n": "abc"}})
    assert result.error.code == "invalid_arguments"
    assert source.calls == []


async def test_openclaw_111704_a_typo_is_not_executed_and_the_error_names_field_and_signature(
    started,
):
    schema = PATHS | {"required": ["path"]}
    for given in ({"pth": "/a"}, {}):
        source = echo(schema=schema)
        result = await called(started, source, {"id": "run", "args": given})
        assert result.error.code == "invalid_arguments"
        assert "`path`" in result.error.message
        assert "path: string" in result.error.message
        assert source.calls == []


async def test_hermes_59267_arguments_are_checked_after_hooks_changed_them(started):
    source = echo(schema=PATHS | {"required": ["path"]})
    plugins = [("hooks", Hooks(Proceed(arguments={"pth": "/a"})))]
    result = await called(started, source, {"id": "run", "args": {"path": "/"}}, plugins=plugins)
    assert result.error.code == "invalid_arguments"
    assert source.calls == []


@pytest.mark.parametrize(
    ("mode", "onward"),
    [("tools", "tool_search"), ("directory", "tool_search"), ("code", "search(")],
)
async def test_openclaw_92273_a_guessed_id_gives_three_suggestions_and_how_to_go_on(
    started, mode, onward
):
    names = ("write_file", "read_file", "file_info", "file_copy", "send_mail", "zip")
    source = ListSource("files", dict.fromkeys(names, lambda: 1))
    host = await started({"tools": {"toolSearch": {"mode": mode, "strict": True}}}, source)
    run = await host.plan()
    error = (await run.control("tool_call", {"id": "file_write"})).error
    assert error.code == "unknown_tool"
    assert "plugin:files:write_file" in error.message
    assert error.message.count("plugin:files:") <= 3
    assert "send_mail" not in error.message
    assert onward in error.message


async def test_pydantic_ai_7552_an_unknown_name_does_not_list_the_catalog(started):
    source = ListSource("many", {f"tool_{n}": (lambda: 1) for n in range(500)})
    run = await (await started(None, source)).plan()
    for result in (await run.handle("nothing_like_it", {}), await run.handle("tool_x", {})):
        assert result.error.code == "unknown_tool"
        assert result.text.count("plugin:many:") <= 3
        assert len(result.text) < 600


async def test_openclaw_15502_a_nested_call_passes_the_hook_once_with_one_id(started):
    hooks = Hooks()
    await called(started, echo(), {"id": "run", "args": {}}, plugins=[("hooks", hooks)])
    (before,), ((after, _),) = hooks.before, hooks.after
    assert before.id == after.id


@pytest.mark.parametrize("mode", ["direct", "tools", "directory", "code"])
async def test_toolhive_3786_an_empty_allow_list_exposes_nothing(started, mode):
    on = False if mode == "direct" else {"mode": mode}
    host = await started({"tools": {"toolSearch": on, "allow": []}}, echo())
    run = await host.plan()
    assert run.catalog.tools == ()
    assert (await run.call("plugin:shell:run", {})).error.code == "unknown_tool"
    assert "shell" not in run.surface.model_dump_json()


async def test_datarobot_587_the_same_policy_reaches_the_same_tools_in_every_mode(started):
    reached = []
    for on in (False, {"mode": "tools"}, {"mode": "directory"}, {"mode": "code"}):
        source = ListSource("s", {"a": lambda: 1, "b": lambda: 2, "c": lambda: 3})
        host = await started({"tools": {"toolSearch": on, "deny": ["b"]}}, source)
        run = await host.plan()
        for name in ("a", "b", "c"):
            await run.handle(name, {})
            await run.call(f"plugin:s:{name}")
        reached.append([call.tool.name for call in source.calls])
    assert reached == [["a", "a", "c", "c"]] * 4


async def test_openclaw_123847_an_alias_in_another_case_is_denied(started):
    source = echo("exec", aliases=("bash",))
    host = await started({"tools": {"toolSearch": {"mode": "tools"}, "deny": ["Bash"]}}, source)
    run = await host.plan()
    for name in ("exec", "bash", "Bash", "plugin:shell:exec"):
        assert (await run.handle("tool_call", {"id": name})).error.code == "unknown_tool"
    assert source.calls == []


async def test_openclaw_149512_a_level_that_voids_another_is_said(started):
    config = {
        "managed": {"deny": ["*"]},
        "tools": {"toolSearch": {"mode": "tools"}, "allow": ["run"]},
    }
    run = await (await started(config, echo())).plan()
    assert run.catalog.tools == ()
    said = " ".join(each.message for each in run.diagnostics)
    assert "managed" in said
    assert "global" in said or "tools.allow" in said


async def test_openclaw_137470_an_entry_that_matches_nothing_is_said_with_the_nearest_name(started):
    source = ListSource("shell", {"execute": lambda: 1})
    host = await started({"tools": {"toolSearch": {"mode": "tools"}, "deny": ["exceute"]}}, source)
    (said,) = [d for d in (await host.plan()).diagnostics if "exceute" in d.message]
    assert "execute" in f"{said.message} {said.cure}"


async def test_archestra_6030_rules_and_people_behind_tool_call_see_the_real_tool(started):
    asked = []

    class Person:
        @hookimpl(inline=True)
        def toolsearch_approve(self, request):
            asked.append(request)
            return Approve()

    config = {
        "tools": {
            "toolSearch": {"mode": "tools"},
            "ask": ["hint:destructive"],
            "deny": [{"tool": "run", "when": {"/path": "/etc/*"}}],
        }
    }
    source = echo()
    run = await (await started(config, source, plugins=[("person", Person())])).plan()
    denied = await run.handle("tool_call", {"id": "run", "args": {"path": "/etc/passwd"}})
    assert denied.error.code == "blocked"
    await run.handle("tool_call", {"id": "run", "args": {"path": "/tmp/x"}})
    (request,) = asked
    assert (request.tool.id, request.call.arguments) == ("plugin:shell:run", {"path": "/tmp/x"})
    assert request.tool.annotations.destructive is None
    assert len(source.calls) == 1


class Late:
    """A person who answers only when the code's own deadline would be long over."""

    def __init__(self):
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    @hookimpl
    async def toolsearch_approve(self, request):
        self.asked.set()
        await self.answer.wait()
        return Approve()


async def test_openclaw_91266_the_clock_of_code_stops_while_a_person_decides(started):
    person, source = Late(), echo(approval="ask")
    config = {"tools": {"toolSearch": {"mode": "code", "strict": True, "codeTimeoutMs": 1_000}}}
    run = await (await started(config, source, plugins=[("person", person)])).plan()
    code = "return (await openclaw.tools.call('run', {path: '/a'})).result.path"
    body = asyncio.ensure_future(run.handle("tool_search_code", {"code": code}))
    await person.asked.wait()
    await asyncio.wait({body}, timeout=1.6)
    assert not body.done()
    person.answer.set()
    assert (await body).value["value"] == "/a"


async def test_ipybox_42_nothing_executes_after_a_real_deadline(started):
    reached, release = asyncio.Event(), asyncio.Event()

    async def slow():
        reached.set()
        await release.wait()

    source = ListSource("s", {"slow": slow, "later": lambda: 1})
    config = {"tools": {"toolSearch": {"mode": "code", "strict": True, "codeTimeoutMs": 1_000}}}
    run = await (await started(config, source)).plan()
    code = "await openclaw.tools.call('slow', {}); await openclaw.tools.call('later', {})"
    result = await run.handle("tool_search_code", {"code": code})
    assert result.value["ok"] is False
    release.set()
    await asyncio.sleep(0)
    assert [call.tool.name for call in source.calls] == ["slow"]


async def test_openclaw_128647_a_result_that_breaks_its_schema_says_that_it_was_executed(started):
    source = echo(output_schema={"type": "object", "required": ["id"]})
    result = await called(started, source, {"id": "run", "args": {"path": "/a"}})
    assert (result.error.code, result.error.executed) == ("invalid_result", True)
    assert "side effects may have happened" in result.error.message
    assert result.value == {"path": "/a"}


async def test_openclaw_141743_the_same_failing_call_is_stopped_and_counts_as_a_failure(started):
    def fails():
        raise ToolError("no")

    source = ListSource("s", {"t": fails})
    run = await (await started(None, source)).plan()
    codes = [(await run.handle("tool_call", {"id": "t"})).error.code for _ in range(17)]
    assert codes == ["tool_error"] * 3 + ["loop"] * 14
    assert (len(source.calls), run.counters.errors) == (3, 17)


@pytest.mark.parametrize("mode", ["direct", "tools", "directory", "code"])
async def test_openclaw_119253_a_veto_holds_for_every_kind_of_tool_in_every_mode(started, mode):
    core = ListSource("core", {"core_tool": lambda: 1})
    plugin = ListSource("things", {"plugin_tool": lambda: 1})
    server = ListSource("far", {"mcp_tool": lambda: 1})
    server.kind = "mcp"
    client = ClientTool(spec=ToolSpec(name="client_tool"), execute=lambda given: 1)
    hooks = Hooks(Deny(reason="vetoed"))
    on = False if mode == "direct" else {"mode": mode, "strict": True}
    host = await started(
        {"tools": {"toolSearch": on}}, plugin, server, sources=[core], plugins=[("veto", hooks)]
    )
    run = await host.plan(client_tools=[client])
    names = ("core_tool", "plugin_tool", "mcp_tool", "client_tool")
    for name in names:
        for result in (await run.handle(name, {}), await run.control("tool_call", {"id": name})):
            assert (result.error.code, result.error.by) == ("blocked", "veto")
    if mode == "code":
        code = (
            f"return Promise.all({json.dumps(names)}.map(name =>"
            " openclaw.tools.call(name, {}).catch(e => e.code)))"
        )
        result = await run.handle("tool_search_code", {"code": code})
        assert result.value["value"] == ["blocked"] * 4
    assert core.calls == plugin.calls == server.calls == []
    await host.plugins.hooks.drain()
    ended = host.events.of("call.ended")
    assert len(ended) == len(hooks.before) == (12 if mode == "code" else 8)


async def test_vscode_247968_what_was_allowed_always_is_asked_again_when_it_changed(tmp_path):
    from toolsearch.testing import observed_host

    asked = []

    class Person:
        @hookimpl(inline=True)
        def toolsearch_approve(self, request):
            asked.append(request)
            return Approve(scope="always", by="ann")

    source = echo(approval="ask")
    host: Host = observed_host(tmp_path / "state", None, source, plugins=[("person", Person())])
    async with host:
        await (await host.plan()).call("run", {})
        await host.plugins.hooks.drain()
        await (await host.plan()).call("run", {})
        before = len(asked)
        source.specs["run"] = source.specs["run"].model_copy(
            update={"description": "run something, and send it to eve"}
        )
        source.generation += 1
        source.changed()
        await (await host.plan()).call("run", {})
    assert len(asked) == before + 1
    assert "send it to eve" in " ".join(reason.reason for reason in asked[-1].reasons)


@pytest.mark.parametrize("mode", ["tools", "directory", "code"])
async def test_hermes_84772_an_allowed_hidden_tool_is_executed_by_its_exact_name(started, mode):
    source = echo()
    host = await started({"tools": {"toolSearch": {"mode": mode, "strict": True}}}, source)
    run = await host.plan()
    assert "run" not in [tool.name for tool in run.surface.tools]
    assert (await run.handle("run", {"path": "/a"})).value == {"path": "/a"}
