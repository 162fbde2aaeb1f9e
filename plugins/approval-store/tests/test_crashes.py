"""Processes that are killed at each step of an approval: nothing is approved that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from toolsearch_approval_store._records import GONE_AFTER_S
from toolsearch_hookspecs import Approve

from .approvals_of import Desk, call, ran, request

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")

HERE = str(Path(__file__).parent)

BEGIN = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from approvals_of import Desk, call, request
from toolsearch_hookspecs import Approve
desk = Desk(Path(sys.argv[2]))
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
"""

WAITS = """
async def main():
    asked = request()
    print(asked.id, flush=True)
    print((await desk.plugin.toolsearch_approve(asked)).by, flush=True)
asyncio.run(main())
"""

DIES_AS_THE_REQUEST_IS_WRITTEN = """
store = desk.store
with store.database.writing() as connection:
    connection.execute(
        "INSERT INTO requests (id, state, created, expires, seen, body)"
        " VALUES ('half', 'pending', 0, 9e9, 9e9, '{}')")
    die()
"""

DIES_AS_THE_ANSWER_IS_WRITTEN = """
store = desk.store
settle = type(store)._settle
def settle_and_die(*given):
    settle(*given)
    die()
type(store)._settle = settle_and_die
store.answer(sys.argv[3], Approve(scope="always", by="ann"))
"""

DIES_AFTER_THE_ANSWER = """
desk.store.answer(sys.argv[3], Approve(scope="always", by="ann"))
die()
"""


def started(code, folder, *more):
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + code, HERE, str(folder), *more],
        stdout=subprocess.PIPE,
        text=True,
    )


def killed(code, folder, *more):
    process = started(code, folder, *more)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


async def waiting_elsewhere(desk):
    """A process in which a call waits, and the id of its request."""
    process = started(WAITS, desk.context.base_dir)
    id_ = process.stdout.readline().strip()
    await desk.pending()
    return process, id_


async def test_a_call_in_another_process_goes_on_with_the_answer(desk):
    process, id_ = await waiting_elsewhere(desk)
    code, _ = await ran(desk.context, "approvals approve", id=id_, by="ann")
    assert code == 0
    out, _ = process.communicate()
    assert (process.returncode, out) == (0, "ann\n")


async def test_a_request_whose_process_was_killed_takes_no_answer(desk):
    process, id_ = await waiting_elsewhere(desk)
    process.kill()
    process.communicate()
    later = Desk(desk.context.base_dir)
    later.store = type(later.store)(
        later.store.database, lambda: _now(id_, desk) + GONE_AFTER_S + 1
    )
    assert later.store.requests(pending=True) == []
    answered = later.store.answer(id_, Approve(scope="always", by="ann"))
    assert (answered.counts, answered.state) == (False, "gone")
    assert later.store.grants() == []
    await later.close()


def _now(id_, desk):
    return desk.store.request(id_).seen


async def test_an_answer_to_a_killed_process_approves_no_later_call(desk):
    process, id_ = await waiting_elsewhere(desk)
    process.kill()
    process.communicate()
    desk.store.answer(id_, Approve(scope="once", by="ann"))
    assert desk.store.granting(call()) is None
    assert await desk.ask(request(wait_s=0)) is None


async def test_a_request_that_was_half_written_is_not_there(desk):
    desk.store.requests(pending=True)
    killed(DIES_AS_THE_REQUEST_IS_WRITTEN, desk.context.base_dir)
    assert desk.store.requests(pending=False) == []


async def test_an_answer_that_was_half_written_is_none(desk):
    process, id_ = await waiting_elsewhere(desk)
    killed(DIES_AS_THE_ANSWER_IS_WRITTEN, desk.context.base_dir, id_)
    assert desk.store.request(id_).state == "pending"
    assert desk.store.grants() == []
    desk.store.answer(id_, Approve(by="bob"))
    assert process.communicate()[0] == "bob\n"


async def test_an_answer_that_was_written_holds_though_its_process_was_killed(desk):
    process, id_ = await waiting_elsewhere(desk)
    killed(DIES_AFTER_THE_ANSWER, desk.context.base_dir, id_)
    assert process.communicate()[0] == "ann\n"
    assert [grant.by for grant in desk.store.grants()] == ["ann"]
