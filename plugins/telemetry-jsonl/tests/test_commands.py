"""The commands: a log answers the questions from its file alone."""

from __future__ import annotations

import asyncio
import csv
import io
import json

import pytest

from toolsearch_hookspecs import ConfigError

from .events_of import Log, Shown, a_run, event, ran


@pytest.fixture
def log(tmp_path):
    log = Log(tmp_path)
    log.write(*a_run())
    return log


async def test_stats_answer_the_four_questions(log):
    shown = await ran(log, "log stats")
    (run,) = shown.data[0]["runs"]
    assert run["visible_tools"] == 3
    assert (run["searches"], run["describes"]) == (1, 1)
    assert run["final_tool"] == "mcp:github:create_issue"
    assert run["final_from"] == "MCP"
    assert run["chosen"] == ["plugin:statistics:mean", "mcp:github:create_issue"]
    assert (run["calls"], run["denials"], run["approvals"], run["errors"]) == (2, 1, 1, 1)
    assert shown.data[0]["totals"]["by_origin"] == {"MCP": 1, "host": 1}


async def test_stats_show_runs_and_a_chart_that_are_read_at_80_columns(log):
    text = (await ran(log, "log stats")).texts[0]
    lines = text.splitlines()
    assert lines[0].split() == "run began (UTC) mode schemas up front direct".split()
    assert lines[1].split() == "run-1 2026-12-01 12:00 tools 3 2.0 KB 293.0 KB".split()
    assert lines[2:4] == [
        "  1 search, 1 describe, 1 body, 2 calls, 1 denied, 1 error; last",
        "    mcp:github:create_issue (failed), from MCP",
    ]
    assert "██████████████████████████████ 293.0 KB" in text
    assert max(map(len, lines)) <= 80


IDLE = [
    event("run.planned", {"mode": "tools", "visibleTools": 3}, run="doctor"),
    event("run.ended", {"ms": 1.0}, run="doctor", seq=2),
]


async def test_runs_that_did_nothing_are_counted_and_not_in_the_way(log):
    log.write(*IDLE)
    stats = await ran(log, "log stats")
    assert "doctor" not in stats.texts[0]
    assert "1 more run that searched and called nothing (--all shows them)" in stats.texts[0]
    assert {run["run"] for run in stats.data[0]["runs"]} == {"run-1", "doctor"}
    assert "doctor" in (await ran(log, "log stats", all=True)).texts[0]
    show = await ran(log, "log show")
    assert "doctor" not in show.texts[0]
    assert "2 more events of runs that searched and called nothing" in show.texts[0]
    assert {one["run"] for one in show.data[0]} == {"run-1", "doctor"}
    assert "doctor run.planned" in (await ran(log, "log show", run="doctor")).texts[0]
    only = (await ran(log, "log show", type="run")).texts[0]
    assert "run-1 run.planned" in only
    assert "doctor" not in only


async def test_a_log_of_runs_that_did_nothing_is_not_called_empty(tmp_path):
    log = Log(tmp_path)
    log.write(*IDLE)
    for name in ("log stats", "log show"):
        text = (await ran(log, name)).texts[0]
        assert "more" in text
        assert "no events" not in text


async def test_a_run_that_was_killed_is_counted_from_its_events(tmp_path):
    log = Log(tmp_path)
    log.write(*a_run()[:-1])
    (run,) = (await ran(log, "log stats")).data[0]["runs"]
    assert (run["calls"], run["ms"]) == (2, None)


async def test_a_torn_last_line_does_not_matter(log):
    with log.file.open("ab") as file:
        file.write(b'{"v":1,"type":"call.end')
    shown = await ran(log, "log stats")
    assert shown.data[0]["unreadable"] == 1
    assert shown.data[0]["runs"][0]["calls"] == 2
    assert "1 line is torn" in shown.texts[0]


async def test_lines_of_a_later_version_and_lines_that_are_no_event_are_survived(log):
    with log.file.open("ab") as file:
        file.write(b'[]\n{"type":1}\n\xff\n\n')
        file.write(b'{"v":9,"type":"new.thing","at":"2026-12-01T13","seq":1,"data":{}}\n')
    shown = await ran(log, "log show", last=1)
    assert shown.data[0][0]["type"] == "new.thing"
    assert "3 lines are torn" in shown.texts[0]


async def test_show_picks_by_run_session_and_type(log):
    log.write(*a_run("run-2"))
    shown = await ran(log, "log show", run="run-2", type="call")
    assert [one["type"] for one in shown.data[0]] == [
        "call.started",
        "call.ended",
        "call.started",
        "call.ended",
        "call.ended",
    ]
    assert {one["run"] for one in shown.data[0]} == {"run-2"}
    assert (await ran(log, "log show", session="nobody")).data[0] == []


async def test_the_text_of_a_tool_cannot_steer_the_terminal(tmp_path):
    log = Log(tmp_path, content=True)
    log.write(event("source.failed", {"reason": "\x1b[2J\u202egone"}, {"result": "\x9b31m"}))
    log.write(event("run.planned", {"mode": "\x1b[31m"}, run="\x1b]0;x"))
    for name in ("log show", "log stats"):
        text = (await ran(log, name)).texts[0]
        assert not any(char in text for char in "\x1b\u202e\x9b")


async def test_other_files_can_be_read(log, tmp_path):
    other = tmp_path / "copy.jsonl"
    other.write_bytes(log.file.read_bytes())
    shown = await ran(Log(tmp_path / "empty"), "log stats", file=(other,))
    assert len(shown.data[0]["runs"]) == 1
    with pytest.raises(ConfigError, match="cannot be read"):
        await ran(log, "log stats", file=(tmp_path / "missing.jsonl",))


async def test_an_empty_log_says_where_it_looked(tmp_path):
    log = Log(tmp_path)
    assert str(log.folder) in (await ran(log, "log stats")).texts[0]
    assert str(log.folder) in (await ran(log, "log show")).texts[0]


async def test_export_writes_events_or_a_line_a_run(log, tmp_path):
    target = tmp_path / "out.jsonl"
    await ran(log, "log export", output=target)
    assert [json.loads(line) for line in target.read_text().splitlines()] == log.lines
    (row,) = csv.DictReader(io.StringIO((await ran(log, "log export", format="csv")).texts[0]))
    assert row["final_tool"] == "mcp:github:create_issue"
    with pytest.raises(ConfigError, match="'jsonl' or 'csv'"):
        await ran(log, "log export", format="xml")


async def test_a_cell_is_no_formula(tmp_path):
    log = Log(tmp_path)
    log.write(event("search", run="=cmd()"))
    assert "'=cmd()" in (await ran(log, "log export", format="csv")).texts[0]


class Arrivals(Shown):
    """Tells when something was shown."""

    def __init__(self):
        super().__init__()
        self.arrived = asyncio.Queue()

    def show(self, data, *, text=None):
        super().show(data, text=text)
        self.arrived.put_nowait(text)


async def test_tail_shows_what_comes_also_in_a_new_file(log):
    (command,) = [
        one for one in log.plugin.toolsearch_commands(log.context) if one.name == "log tail"
    ]
    shown = Arrivals()
    async with asyncio.timeout(20):
        task = asyncio.create_task(command.run(shown, {"last": 1, "follow": True}))
        assert "run.ended" in await shown.arrived.get()
        log.write(event("search", seq=90))
        assert "search" in await shown.arrived.get()
        log.write(event("describe", seq=91, days=1))
        assert "describe" in await shown.arrived.get()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_the_commands_import_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from toolsearch_telemetry_jsonl import plugin;"
        "from toolsearch_hookspecs import PluginContext;"
        "list(plugin().toolsearch_commands(PluginContext(name='x', base_dir=Path(), state_dir=Path())));"
        "print('toolsearch_telemetry_jsonl._showing' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


async def test_a_run_or_session_that_is_not_in_a_full_log_is_told_from_an_empty_log(log, tmp_path):
    for name in ("log show", "log stats"):
        (text,) = (await ran(log, name, run="run_nosuch")).texts
        assert text.startswith("no run 'run_nosuch' in ")
    (text,) = (await ran(log, "log show", session="nobody")).texts
    assert text.startswith("no session 'nobody' in ")
    (text,) = (await ran(log, "log show", run="run-1", type="nosuch")).texts
    assert text.startswith("no such events in ")
    empty = Log(tmp_path / "empty")
    (text,) = (await ran(empty, "log show", run="run_nosuch")).texts
    assert text.startswith("no events in ")
