"""What was called after like requests comes first; nothing else changes."""

from __future__ import annotations

import sqlite3
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
from toolsearch_rank_feedback._experience import FILE

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


def make(folder) -> plugin:
    made = plugin()
    made.toolsearch_configure(
        PluginContext(
            name="rank-feedback", settings=FeedbackSettings(), base_dir=folder, state_dir=folder
        )
    )
    return made


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
