"""The session log of a whole host: what is written fits the published schema and suffices."""

import asyncio
import json
from contextlib import suppress

import jsonschema

from toolsearch_hookspecs import Approve, PolicyAnswer, Ruling, ToolSpec, hookimpl
from toolsearch_telemetry_jsonl import event_schema

from ..conftest import ListSource


def lines(tmp_path):
    (file,) = (tmp_path / "state" / "log").glob("*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def fail():
    raise RuntimeError("broken")


async def worked(host):
    """A run that searches, describes, calls, fails and is denied."""
    async with await host.plan(agent="clerk", session="s1") as run:
        await run.control("tool_search", {"query": "add numbers"})
        await run.control("tool_search", {"queries": [{"query": "add"}, {"query": "fail"}]})
        await run.control("tool_describe", {"id": "add"})
        await run.control("tool_call", {"id": "add", "args": {"a": 1, "b": 2}})
        await run.control("tool_call", {"id": "fail", "args": {}})
        await run.control("tool_call", {"id": "nothing", "args": {}})


def source():
    return ListSource("math", {"add": lambda a, b: a + b, "fail": fail})


class Judges:
    """A policy that breaks once, and hides what it is told to."""

    def __init__(self):
        self.hidden = set()

    @hookimpl
    def toolsearch_tool_policy(self, run, tools, arguments):
        if arguments == {"a": 0, "b": 0}:
            raise RuntimeError
        denied = {tool.id for tool in tools if tool.name in self.hidden}
        return PolicyAnswer(denied={id_: Ruling(reason="no") for id_ in denied})

    @hookimpl
    async def toolsearch_approve(self, request):
        return Approve(arguments=request.call.arguments)


async def everything(host, judges):
    """A run in which each step that is told happens, with whatever can be said of it."""
    code = "return await openclaw.tools.call('add', {a: 1, b: 2})"
    async with await host.plan(mode="code") as run:
        await run.handle("tool_search_code", {"code": code})
        await run.control("tool_search", {"query": "add numbers"})
        await run.control("tool_describe", {"id": "add"})
        await run.control("tool_describe", {"id": "nothing"})
        await run.control("tool_call", {"id": "add", "args": {"a": 0, "b": 0}})
        await run.control("tool_call", {"id": "add", "args": '{"args": {"a": "1", "b": 2}}'})
        await run.control("tool_call", {"id": "mule", "args": {}})
        await run.control("tool_call", {"id": "asked", "args": {}})
        long = await run.control("tool_call", {"id": "long", "args": {}})
        there = json.loads(long.note[long.note.index("{") :])
        await run.control("tool_call", {"id": READ, "args": there})
        await run.control("tool_call", {"id": READ, "handle": "lost"})
        judges.hidden = {"add"}
        await run.control("tool_search", {"query": "add numbers"})


READ = "openclaw:toolsearch:read_result"


async def test_every_line_fits_the_published_schema_and_holds_nothing_that_it_does_not_name(
    started, tmp_path
):
    broken, free, judges = ListSource("down", {}), asyncio.Event(), Judges()
    broken.broken = RuntimeError("no")

    async def mule():
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    tools = {"add": lambda a, b: a + b, "mule": mule, "asked": str, "long": lambda: "x" * 100_000}
    worker = ListSource("work", tools, mule={"timeout_ms": 20}, asked={"approval": "ask"})
    numbers = {name: {"type": "number"} for name in ("a", "b")}
    schema = {"type": "object", "properties": numbers, "required": ["a", "b"]}
    worker.specs["add"] = ToolSpec(name="add", description="add numbers", input_schema=schema)
    worker.specs["bad"] = {"name": "bad", "input_schema": {"type": "int"}}
    config = {"plugins": {"disabled": ["approval-store"]}}
    host = await started(config, worker, broken, plugins=[("judges", judges)])
    await everything(host, judges)
    free.set()
    await host.aclose()
    written = lines(tmp_path)
    schema = event_schema()
    validator = jsonschema.Draft202012Validator(schema)
    for line in written:
        validator.validate(line)
    named = {
        each["title"]: set(each["properties"]["data"]["properties"]) for each in schema["oneOf"]
    }
    told = {line["type"]: set() for line in written}
    for line in written:
        told[line["type"]] |= set(line["data"])
    assert told.keys() == named.keys()
    assert {kind: keys - named[kind] for kind, keys in told.items() if keys - named[kind]} == {}


async def test_reading_on_in_a_result_is_told_and_counted(started, tmp_path):
    host = await started(None, ListSource("s", {"long": lambda: "x" * 100_000}))
    async with await host.plan() as run:
        long = await run.control("tool_call", {"id": "long", "args": {}})
        there = json.loads(long.note[long.note.index("{") :])
        flat = await run.control("tool_call", {"id": f" functions.{READ.upper()}", **there})
        body = await run.bridge("b").call(READ, there)
        assert flat.value["result"] == body["result"] == "x" * flat.value["result"].count("x")
        assert body["tool"] == {"id": READ, "name": "read_result", "source": "openclaw"}
        assert body["note"] == flat.note
        wrong = await run.control("tool_call", {"id": READ, "args": {"handle": "x", "offset": "y"}})
        assert (wrong.error.code, wrong.error.tool) == ("invalid_arguments", READ)
        assert (run.counters.reads, run.counters.calls, run.counters.errors) == (3, 1, 1)
    await host.aclose()
    read = [line["data"] for line in lines(tmp_path) if line["type"] == "result.read"]
    assert [(one["via"], one["ok"]) for one in read] == [
        ("tool_call", True),
        ("bridge", True),
        ("tool_call", False),
    ]
    assert (read[0]["chars"], read[1]["body"]) == (len(flat.value["result"]), "b")
    assert read[2]["code"] == "invalid_arguments"
    assert (
        there["handle"] not in (tmp_path / "state" / "log").glob("*.jsonl").__next__().read_text()
    )


async def test_content_is_not_there_unless_it_was_wanted(started, tmp_path):
    host = await started(None, source())
    await worked(host)
    await host.aclose()
    assert all("content" not in line for line in lines(tmp_path))


async def test_content_is_there_redacted_where_it_was_wanted(started, tmp_path):
    login = ListSource("site", {"login": lambda user, password: {"token": "abc", "user": user}})
    config = {"tools": {"toolSearch": {"mode": "tools"}}, "log": {"content": True}}
    host = await started(config, login)
    async with await host.plan() as run:
        await run.control("tool_call", {"id": "login", "args": {"user": "ann", "password": "p4ss"}})
    await host.aclose()
    (ended,) = [line for line in lines(tmp_path) if line["type"] == "call.ended"]
    assert ended["content"]["arguments"] == {"user": "ann", "password": "[redacted]"}
    assert ended["content"]["result"] == {"token": "[redacted]", "user": "ann"}


async def test_the_questions_of_a_session_log_are_answered_from_its_file(started, tmp_path):
    from toolsearch_telemetry_jsonl._reading import reading
    from toolsearch_telemetry_jsonl._summary import summaries

    host = await started(None, source())
    await worked(host)
    await host.aclose()
    (run,) = summaries(reading((tmp_path / "state" / "log").glob("*.jsonl")).events)
    assert run.visible_tools == 3
    assert run.surface_bytes > 0
    assert (run.searches, run.describes) == (3, 1)
    assert (run.calls, run.errors) == (2, 2)
    assert run.chosen == ["plugin:math:add", "plugin:math:fail"]
    assert (run.final_tool, run.final_from, run.final_ok) == ("plugin:math:fail", "host", False)


async def test_a_log_that_cannot_be_written_fails_no_call_and_is_reported(started, tmp_path):
    (tmp_path / "taken").write_text("")
    config = {
        "tools": {"toolSearch": {"mode": "tools"}},
        "log": {"path": str(tmp_path / "taken")},
    }
    host = await started(config, source())
    async with await host.plan() as run:
        result = await run.control("tool_call", {"id": "add", "args": {"a": 1, "b": 2}})
    await host.aclose()
    assert result.error is None
    said = [one.message for one in host.diagnostics() if one.subject == "telemetry-jsonl"]
    assert len(said) == 1
    assert "cannot be written" in said[0]
