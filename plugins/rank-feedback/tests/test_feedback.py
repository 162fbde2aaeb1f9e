"""What was called after like requests comes first; nothing else changes."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from toolsearch_hookspecs import (
    Event,
    EventType,
    PluginContext,
    RankedTool,
    RunContext,
    Tool,
)
from toolsearch_rank_feedback import FeedbackSettings, plugin
from toolsearch_rank_feedback._likeness import Successes
from toolsearch_rank_feedback._store import FILE, Store

ANN = RunContext(run_id="run-ann", principal="ann")
BEN = RunContext(run_id="run-ben", principal="ben")


def ranked(name: str, score: float) -> RankedTool:
    tool = Tool(
        id=f"plugin:desk:{name}",
        source="plugin",
        owner="desk",
        name=name,
        digest="d",
        plugin="p",
        origin="o",
    )
    return RankedTool(tool=tool, score=score, confidence=0.5)


HITS = [ranked("letters", 10.0), ranked("parcels", 8.0), ranked("stamps", 2.0)]


def make(folder, **settings) -> plugin:
    made = plugin()
    made.toolsearch_configure(
        PluginContext(
            name="rank-feedback",
            settings=FeedbackSettings(**settings),
            base_dir=folder,
            state_dir=folder,
        )
    )
    return made


async def call_after(feedback, query: str, tool: str, *, run: str, times: int = 1) -> None:
    """One run that searches and then calls a tool, however often."""
    context = RunContext(run_id=run, principal="ann")
    await order(feedback, context, query)
    for _ in range(times):
        feedback.toolsearch_event(ended(context, tool))


@pytest.fixture
def feedback(tmp_path):
    return make(tmp_path)


def ended(run: RunContext, tool: str, *, ok: bool = True) -> Event:
    data = {"tool": f"plugin:desk:{tool}", "ok": ok}
    return Event(type=EventType.CALL_ENDED, at=datetime.now(UTC), seq=1, run=run.run_id, data=data)


async def order(feedback, run, query, hits=HITS):
    return [hit.tool.name for hit in await feedback.toolsearch_rank(run, query, hits)]


async def test_a_tool_that_was_called_after_a_like_request_comes_first(feedback):
    assert await order(feedback, ANN, "ship a box to Rome") == ["letters", "parcels", "stamps"]
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert await order(feedback, ANN, "ship boxes to Rome") == ["parcels", "letters", "stamps"]


async def test_unlike_requests_are_left_as_they_are(feedback):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, ANN, "write to my aunt"))[0] == "letters"


async def test_a_failed_call_teaches_nothing(feedback):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels", ok=False))
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "letters"


async def test_a_call_of_a_tool_that_no_search_showed_teaches_nothing(feedback):
    await order(feedback, ANN, "ship a box to Rome", HITS[:1])
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "letters"


async def test_hits_are_reordered_and_never_added(feedback):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    denied_since = [HITS[0], HITS[2]]
    assert await order(feedback, ANN, "ship a box to Rome", denied_since) == ["letters", "stamps"]


async def test_one_tenant_does_not_learn_from_another(feedback):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, BEN, "ship a box to Rome"))[0] == "letters"


async def test_what_was_learnt_outlives_the_process(feedback, tmp_path):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    await feedback.toolsearch_shutdown()
    assert (await order(make(tmp_path), ANN, "ship a box to Rome"))[0] == "parcels"


async def test_no_word_of_a_request_is_kept(feedback, tmp_path):
    await order(feedback, ANN, "ship a confidential box")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    await feedback.toolsearch_shutdown()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"confidential" not in stored
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


async def test_a_store_that_cannot_be_opened_is_done_without(tmp_path):
    (tmp_path / FILE).write_bytes(b"not a database " * 100)
    feedback = make(tmp_path)
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "parcels"


async def test_old_successes_are_forgotten(feedback, tmp_path):
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    await feedback.toolsearch_shutdown()
    with sqlite3.connect(tmp_path / FILE) as store:
        store.execute("update successes set at = at - 91 * 86400")
    store.close()
    assert (await order(make(tmp_path), ANN, "ship a box to Rome"))[0] == "letters"


async def test_a_request_without_words_and_a_run_that_ended_do_no_harm(feedback):
    assert await feedback.toolsearch_rank(ANN, "?!", HITS) == HITS
    assert await feedback.toolsearch_rank(ANN, "", []) is None
    await order(feedback, ANN, "ship a box")
    feedback.toolsearch_event(
        Event(type=EventType.RUN_ENDED, at=datetime.now(UTC), seq=2, run=ANN.run_id)
    )
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, ANN, "ship a box"))[0] == "letters"


async def test_a_run_that_calls_a_tool_again_and_again_speaks_for_it_once(feedback):
    query = "ship a box to Rome"
    for number in range(3):
        await call_after(feedback, query, "parcels", run=f"honest-{number}")
    await call_after(feedback, query, "stamps", run="pushing", times=500)
    assert await order(feedback, ANN, query) == ["parcels", "letters", "stamps"]


async def test_one_success_against_many_lifts_a_tool_hardly(feedback):
    query = "ship a box to Rome"
    await call_after(feedback, query, "stamps", run="once")
    for number in range(8):
        await call_after(feedback, query, "letters", run=f"often-{number}")
    hits = [ranked("letters", 8.0), ranked("parcels", 8.1), ranked("stamps", 6.0)]
    assert await order(feedback, ANN, query, hits) == ["letters", "parcels", "stamps"]


async def test_a_credential_that_is_called_as_an_agent_is_learns_nothing_of_it(feedback):
    agent = RunContext(run_id="by-agent", agent="default")
    await order(feedback, agent, "ship a box to Rome")
    feedback.toolsearch_event(ended(agent, "parcels"))
    posing = RunContext(run_id="posing", principal="agent:default")
    assert (await order(feedback, posing, "ship a box to Rome"))[0] == "letters"


async def test_no_more_than_is_set_is_kept_of_a_tenant(tmp_path):
    feedback = make(tmp_path, most=50)
    for number in range(450):
        await call_after(feedback, f"case number{number}", "parcels", run=f"run-{number}")
    with sqlite3.connect(tmp_path / FILE) as store:
        (count,) = store.execute("select count(*) from successes").fetchone()
    store.close()
    assert count <= 50 + 200
    assert len(feedback._experience._tenants["principal:ann"].requests) <= 50 + 64
    assert (await order(feedback, ANN, "case number449"))[0] == "parcels"
    assert (await order(feedback, ANN, "case number3"))[0] == "letters"


async def test_tenants_that_are_long_gone_leave_memory_and_are_read_again(feedback, monkeypatch):
    monkeypatch.setattr("toolsearch_rank_feedback._experience.MAX_TENANTS", 2)
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    for number in range(5):
        run = RunContext(run_id=f"run-{number}", principal=f"one-{number}")
        await order(feedback, run, "ship a box to Rome")
    assert len(feedback._experience._tenants) == 2
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "parcels"


def test_processes_that_start_at_once_agree_on_one_salt(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(lambda _: Store(tmp_path / FILE, FeedbackSettings()), range(8)))
    assert len({store.salt for store in stores}) == 1
    for store in stores:
        store.close()


async def test_a_store_that_another_process_holds_makes_no_search_wait(feedback, tmp_path):
    await order(feedback, ANN, "ship a box to Rome")
    holding = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    holding.execute("begin immediate")
    writing = asyncio.create_task(
        asyncio.to_thread(feedback.toolsearch_event, ended(ANN, "parcels"))
    )
    await asyncio.sleep(0.1)
    began = time.monotonic()
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "parcels"
    assert time.monotonic() - began < 4  # SQLite itself would wait for five seconds
    holding.execute("rollback")
    holding.close()
    await writing


async def test_a_folder_that_cannot_be_made_is_done_without(tmp_path):
    (tmp_path / "state").write_text("in the way")
    feedback = make(tmp_path / "state" / "deeper")
    await order(feedback, ANN, "ship a box to Rome")
    feedback.toolsearch_event(ended(ANN, "parcels"))
    assert (await order(feedback, ANN, "ship a box to Rome"))[0] == "parcels"


async def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    (tmp_path / FILE).touch(mode=0o644)
    await order(make(tmp_path), ANN, "ship a box to Rome")
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_word_that_every_request_has_does_not_make_a_search_slow():
    successes = Successes(20_000)
    for number in range(20_000):
        successes.add(frozenset([*range(40), 1_000 + number]), f"tool-{number}")
    began = time.thread_time()
    votes = successes.votes(frozenset([*range(40), 1_000 + 12_345]))
    assert time.thread_time() - began < 0.2  # twenty times what it takes
    assert max(votes, key=votes.__getitem__) == "tool-12345"
