"""A call that waits for the answer of another process."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import stat
from contextlib import suppress

import pytest

from toolsearch_hookspecs import Approve, Reject

from .approvals_of import Desk, call, ran, request


async def test_an_answer_on_the_command_line_reaches_the_waiting_call(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    code, shown = await ran(desk.context, "approvals approve", id=asked.id, by="ann")
    assert (code, shown.texts) == (0, [f"approved {asked.id} (once)"])
    assert await waiting == Approve(scope="once", by="ann")


async def test_edited_arguments_are_handed_on(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    await ran(
        desk.context, "approvals approve", id=asked.id, arguments='{"title": "Hang"}', by="ann"
    )
    assert await waiting == Approve(scope="once", arguments={"title": "Hang"}, by="ann")


async def test_a_denial_carries_its_message(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    await ran(desk.context, "approvals deny", id=asked.id, message="not on a Friday", by="ann")
    assert await waiting == Reject(message="not on a Friday", by="ann")


async def test_the_reason_of_a_denial_is_told_the_model_in_one_bounded_line(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    await ran(desk.context, "approvals deny", id=asked.id, reason="too\nbig " * 400, by="ann")
    told = await waiting
    assert told.message.startswith("too big too big")
    assert len(told.message) <= 500


async def test_of_two_answers_the_first_counts(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    answers = await asyncio.gather(
        *(
            asyncio.to_thread(Desk(desk.context.base_dir).store.answer, asked.id, decision)
            for decision in (
                Approve(by="ann"),
                Reject(by="bob"),
                Approve(by="cyd"),
                Reject(by="dan"),
            )
        )
    )
    (first,) = [answer for answer in answers if answer.counts]
    assert {answer.request.by for answer in answers} == {first.request.by}
    assert (await waiting).by == first.request.by
    code, shown = await ran(desk.context, "approvals deny", id=asked.id)
    assert code == 1
    assert "was answered before" in shown.texts[0]


async def test_an_answer_to_one_request_is_none_to_another(desk):
    one, other = request(), request()
    waiting = [desk.ask(one), desk.ask(other)]
    await desk.pending(2)
    desk.store.answer(one.id, Approve(by="ann"))
    assert await waiting[0] == Approve(by="ann")
    assert not waiting[1].done()
    desk.store.answer(other.id, Reject(by="ann"))
    assert isinstance(await waiting[1], Reject)


async def test_a_request_that_expired_takes_no_answer(desk):
    asked = request(wait_s=0)
    assert await desk.ask(asked) is None
    code, shown = await ran(desk.context, "approvals approve", id=asked.id)
    assert code == 1
    assert "expired" in shown.texts[0]
    assert desk.store.grants() == []


async def test_a_cancelled_call_takes_no_answer(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    await desk.plugin.toolsearch_shutdown()
    assert desk.store.requests(pending=True) == []
    answered = desk.store.answer(asked.id, Approve(scope="always", by="ann"))
    assert (answered.counts, answered.state) == (False, "withdrawn")
    assert desk.store.grants() == []


async def test_without_wait_only_grants_answer(tmp_path):
    desk = Desk(tmp_path, wait=False)
    asked = request()
    assert await desk.ask(asked) is None
    desk.told(asked, decision="approve", scope="always", by="ann (approval-console)", edited=False)
    assert (await desk.ask(request(call()))).by == "grant 1 of ann (approval-console)"
    await desk.close()


async def test_a_request_that_its_caller_answers_is_kept_without_a_word(desk, caplog):
    asked = request().model_copy(update={"handed_over": True})
    waiting = desk.ask(asked)
    await desk.pending()
    desk.store.answer(asked.id, Approve(by="ann"))
    assert await waiting == Approve(by="ann")
    assert caplog.text == ""


async def test_the_log_says_how_to_answer(desk, caplog):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    assert f"approvals approve {asked.id}" in caplog.text
    assert re.search(r"waiting up to \d+ s for it", caplog.text)
    assert "Crash" not in caplog.text
    desk.store.answer(asked.id, Reject(by="ann"))
    await waiting


async def test_the_files_are_the_owners_alone(desk):
    asked = request()
    waiting = desk.ask(asked)
    await desk.pending()
    for path in (desk.context.state_dir, *desk.context.state_dir.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert {path.suffix for path in desk.context.state_dir.iterdir()} >= {
        ".sqlite3",
        ".sqlite3-wal",
    }
    desk.store.answer(asked.id, Reject(by="ann"))
    await waiting


async def test_settled_requests_are_forgotten_after_a_while(tmp_path):
    desk = Desk(tmp_path, keep_days=1)
    old = request(wait_s=-2 * 86_400)
    desk.store.open(old)
    await desk.ask(request(wait_s=0))
    assert old.id not in {one.id for one in desk.store.requests(pending=False)}
    await desk.close()


async def test_a_later_database_is_refused_with_what_to_do(desk):
    with desk.store.database.writing() as connection:
        connection.execute("PRAGMA user_version = 99")
    desk.store.database.close()
    from toolsearch_hookspecs import ToolsearchError

    with pytest.raises(ToolsearchError, match="install a later one"):
        desk.store.requests(pending=True)


async def test_a_broken_database_approves_nothing_and_stops_no_other_call(tmp_path, caplog):
    desk = Desk(tmp_path)
    desk.context.state_dir.mkdir()
    desk.store.database.path.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError):
        await desk.ask(request())
    assert desk.plugin.toolsearch_before_tool_call(call()) is None
    assert "cannot be read" in caplog.text
    await desk.close()
