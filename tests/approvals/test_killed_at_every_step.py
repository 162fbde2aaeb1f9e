"""A host killed at each step of an approval and of a call, and one that is started after it:
nothing is executed twice, and nothing is executed that nobody approved.
"""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")

HOST = """
import asyncio, os, signal, sys
from pathlib import Path
from toolsearch import Host
from toolsearch_hookspecs import (
    ApprovalRequest, Approve, PolicyAnswer, Reject, SourceListing, ToolSource, ToolSpec, hookimpl)

folder, step = Path(sys.argv[1]), sys.argv[2]
asked = folder / "request.json"

def at(here):
    if here == step:
        os.kill(os.getpid(), signal.SIGKILL)

class Mail(ToolSource):
    name, kind, trusted, origin = "mail", "plugin", True, "tests"
    async def start(self, changed): pass
    async def list_tools(self, run):
        return SourceListing(generation="1", tools=[ToolSpec(name="send", approval="ask")])
    async def call(self, call):
        at("before the effect")
        with (folder / "marks").open("a") as file:
            file.write("sent\\n")
        at("after the effect")
        return "sent"

class Steps:
    resuming = False
    @hookimpl
    def toolsearch_tool_sources(self, plugin):
        return (Mail(),)
    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        if arguments is not None:
            at("policy after the answer" if self.resuming else "policy")
        return PolicyAnswer()
    @hookimpl(inline=True)
    def toolsearch_before_tool_call(self, call):
        at("before hook")
    @hookimpl(inline=True)
    def toolsearch_after_tool_call(self, call, result):
        at("after hook")

async def main():
    steps = Steps()
    host = Host.from_config(
        {"tools": {"toolSearch": {"mode": "tools"}}, "plugins": {"disabled": ["approval-store"]}},
        plugins=[("steps", steps)], environ={}, state_dir=folder / "state")
    async with host:
        if step == "answer later":
            steps.resuming = True
            try:
                print((await host.resume(
                    ApprovalRequest.model_validate_json(asked.read_text()), Approve())).text)
            except ValueError as refused:
                print(refused)
            return
        run = await host.plan(approvals="return")
        result = await run.handle("send", {})
        asked.write_text(result.pending.model_dump_json())
        at("while a person decides")
        steps.resuming = True
        print((await host.resume(result.pending.id, Approve())).text)
        at("after the result")

asyncio.run(main())
"""


def host(folder, step):
    return subprocess.run(
        [sys.executable, "-c", HOST, str(folder), step],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def marks(folder):
    path = folder / "marks"
    return path.read_text().split() if path.exists() else []


@pytest.mark.parametrize("step", ["policy", "before hook"])
def test_before_anybody_was_asked_nothing_is_left_that_could_be_carried_out(tmp_path, step):
    assert host(tmp_path, step).returncode == -signal.SIGKILL
    assert not (tmp_path / "request.json").exists()
    assert marks(tmp_path) == []


def test_while_a_person_decides_the_answer_is_carried_out_later_and_once(tmp_path):
    assert host(tmp_path, "while a person decides").returncode == -signal.SIGKILL
    assert marks(tmp_path) == []
    first, second = host(tmp_path, "answer later"), host(tmp_path, "answer later")
    assert first.stdout.strip() == "sent", first.stderr
    assert "carried out before" in second.stdout, second.stderr
    assert marks(tmp_path) == ["sent"]


@pytest.mark.parametrize(
    ("step", "effects"),
    [
        ("policy after the answer", 0),
        ("before the effect", 0),
        ("after the effect", 1),
        ("after hook", 1),
        ("after the result", 1),
    ],
)
def test_after_the_answer_was_taken_it_is_never_carried_out_again(tmp_path, step, effects):
    assert host(tmp_path, step).returncode == -signal.SIGKILL
    assert marks(tmp_path) == ["sent"] * effects
    again = host(tmp_path, "answer later")
    assert "carried out before" in again.stdout, again.stderr
    assert marks(tmp_path) == ["sent"] * effects
