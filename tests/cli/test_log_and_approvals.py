"""`toolsearch log …` and `toolsearch approvals …`: commands that plugins bring."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
import time

import pytest

from toolsearch import Host
from toolsearch_hookspecs import Approve, hookimpl

from ..conftest import ListSource

CONFIG = '{ tools: { ask: ["fsum"] }, plugins: { enabled: ["approval-store"], settings: %s } }'
MODULES = '{ "source-python": { modules: ["math"] } }'


@pytest.fixture
def approvals(cli, place):
    """`toolsearch approvals …` with a configuration that enables the store."""
    (place / "desk.json5").write_text(CONFIG % MODULES)
    return lambda *words: cli("--config", "desk.json5", "approvals", *words)


def test_approvals_lists_nothing_where_nothing_waits(approvals):
    ran = approvals("list")
    assert (ran.code, ran.out.strip()) == (0, "no request waits for an answer")
    assert approvals("list", "--json").json == []
    assert approvals("grants", "--json").json == []


def test_an_unknown_request_is_a_message_and_no_traceback(approvals):
    ran = approvals("approve", "nothing")
    assert ran.code != 0
    assert "no request begins with 'nothing'; none waits" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("word", ["approve", "deny", "show"])
def test_an_answer_without_an_id_is_a_usage_error(approvals, word):
    ran = approvals(word)
    assert (ran.code, ran.out) == (2, "")
    assert "Missing argument 'ID'" in ran.err


def test_revoking_one_grant_and_all_of_them_at_once_is_an_error(approvals):
    ran = approvals("revoke", "1", "--all")
    assert ran.code == 2
    assert "not both" in ran.err


def test_a_call_that_waits_says_so_with_what_answers_it(cli, place):
    approvals = "approvals: { waitMs: 300 },"
    (place / "desk.json5").write_text(
        (CONFIG % MODULES).replace("{ tools", "{ " + approvals + " tools", 1)
    )
    ran = cli("--config", "desk.json5", "call", "fsum", '{"seq": [1, 2]}', "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == "blocked"
    (said,) = ran.err.splitlines()
    assert said.startswith(
        "approval needed for plugin:math:fsum; waiting up to 1 s for it: "
        "toolsearch approvals approve apr_"
    )


def test_at_a_terminal_the_question_has_the_id_and_no_line_stands_in_the_midst_of_it(place):
    (place / "desk.json5").write_text(CONFIG % MODULES)
    ours, theirs = pty.openpty()
    words = ["--config", "desk.json5", "call", "fsum", '{"seq": [1, 2]}']
    calling = subprocess.Popen(
        [sys.executable, "-m", "toolsearch", *words],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    seen = ""
    while "[o]nce" not in seen:
        seen += os.read(ours, 65_536).decode()
    time.sleep(1)  # what else would be said is said by now
    os.write(ours, b"y\n")
    out, _ = calling.communicate(timeout=60)
    assert out == "3.0\n"
    assert re.search(r"request apr_[0-9a-f]{16}", seen)
    assert "approvals approve" not in seen + os.read(ours, 65_536).decode()
    os.close(ours)


def test_a_call_whose_caller_answers_itself_says_nothing(place, capfd):
    async def answered():
        host = Host.from_config(
            {
                "tools": {"toolSearch": True, "ask": ["fsum"]},
                "plugins": {"settings": {"source-python": {"modules": ["math"]}}},
            },
            environ={},
            state_dir=place / "state",
        )
        async with host, await host.plan(mode="tools", approvals="return") as run:
            told = await run.handle("tool_call", {"id": "fsum", "args": {"seq": [1, 2]}})
            assert told.pending.handed_over
            return await host.resume(told.pending.id, Approve(by="me"))

    done = asyncio.run(answered())
    assert done.value["result"] == 3
    assert capfd.readouterr().err == ""


def test_the_approvals_commands_are_helped(approvals):
    ran = approvals("--help")
    for word in ("list", "show", "approve", "deny", "grants", "revoke", "watch"):
        assert word in ran.out
    assert "--scope" in approvals("approve", "--help").out


def test_an_answer_on_the_command_line_reaches_a_call_in_another_process(process, place):
    (place / "desk.json5").write_text(CONFIG % MODULES)

    async def answered():
        call = asyncio.to_thread(
            process, "--config", "desk.json5", "call", "fsum", '{"seq": [1, 2]}', "--json"
        )
        calling = asyncio.create_task(call)
        waits = []
        async with asyncio.timeout(60):
            while not waits and not calling.done():
                listed = await asyncio.to_thread(
                    process, "--config", "desk.json5", "approvals", "list", "--json"
                )
                waits = json.loads(listed.stdout)
        said = await asyncio.to_thread(
            process, "--config", "desk.json5", "approvals", "approve", "--", waits[0]["id"]
        )
        return said, await calling

    said, called = asyncio.run(answered())
    assert (said.returncode, said.stdout.split()[0]) == (0, "approved")
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)


def test_log_stats_answers_from_the_files_alone(cli, place, tmp_path):
    async def worked():
        class Yields:
            @hookimpl
            def toolsearch_tool_sources(self, plugin):
                return (ListSource("desk", {"shell": lambda command: command}),)

        host = Host.from_config(
            {"tools": {"toolSearch": {"mode": "tools"}}},
            plugins=[("yields", Yields())],
            environ={},
            state_dir=tmp_path / "state",
        )
        async with host, await host.plan() as run:
            await run.control("tool_call", {"id": "shell", "args": {"command": "ls"}})

    asyncio.run(worked())
    (run,) = cli("log", "stats", "--json").json["runs"]
    assert (run["final_tool"], run["final_from"]) == ("plugin:desk:shell", "host")
    assert "plugin:desk:shell" in cli("log", "show").out
    assert "run.planned" in cli("log", "export").out
    assert "call.ended" in cli("log", "show", "--type", "call", "--last", "1").out
    assert cli("log", "export", "--format", "xml").code != 0
