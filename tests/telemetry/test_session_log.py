"""The session log of a whole host: what is written fits the published schema and suffices."""

import json

import jsonschema

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


async def test_every_line_fits_the_published_schema(started, tmp_path):
    broken = ListSource("down", {})
    broken.broken = RuntimeError("no")
    host = await started(None, source(), broken)
    await worked(host)
    await host.aclose()
    written = lines(tmp_path)
    validator = jsonschema.Draft202012Validator(event_schema())
    for line in written:
        validator.validate(line)
    assert {line["type"] for line in written} >= {
        "run.planned",
        "source.failed",
        "search",
        "describe",
        "call.started",
        "call.ended",
        "run.ended",
    }


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
