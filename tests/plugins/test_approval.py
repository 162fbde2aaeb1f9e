from __future__ import annotations

import asyncio
import threading

import pytest

from toolsearch.plugins import ApprovalOutcome
from toolsearch_hookspecs import Approve, Reject

from .conftest import SHORT, Hosted, plugin_with, request

FOREVER = 3600


def approver(function) -> type:
    async def hook(self, request):
        return await function(request)

    return plugin_with(toolsearch_approve=hook)


def answering(decision) -> type:
    async def function(request):
        return decision

    return approver(function)


async def test_without_an_approver_it_is_rejected_and_says_why(hosted: Hosted):
    outcome = await hosted().hooks.approve(request(), 60)
    assert isinstance(outcome.decision, Reject)
    assert "no approver is there" in outcome.decision.message


async def test_the_first_answer_wins_and_the_others_are_cancelled(hosted: Hosted):
    cancelled = asyncio.Event()

    async def waiting(request):
        try:
            await asyncio.sleep(FOREVER)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    host = hosted(a_waits=approver(waiting), b_answers=answering(Approve(scope="session")))
    outcome = await host.hooks.approve(request(), 60)
    assert outcome.decision == Approve(scope="session", by="b_answers")
    assert outcome.plugin == "b_answers"
    await cancelled.wait()
    await host.shutdown()


async def test_no_opinion_leaves_it_to_the_others(hosted: Hosted):
    host = hosted(a=answering(None), b=answering(Reject(message="not today", by="alice")))
    outcome = await host.hooks.approve(request(), 60)
    assert outcome.decision == Reject(message="not today", by="alice (b)")


async def test_an_approver_that_fails_leaves_it_to_the_others(hosted: Hosted):
    async def failing(request):
        raise SystemExit

    release = asyncio.Event()

    async def later(request):
        await release.wait()
        return Approve()

    host = hosted(a=approver(failing), b=approver(later))
    host.listen(lambda failure: release.set())
    assert (await host.hooks.approve(request(), 60)).decision == Approve(by="b")


async def test_answers_of_one_moment_are_taken_in_order(hosted: Hosted):
    host = hosted(b=answering(Approve()), a=answering(Reject()), c=answering(Approve()))
    assert (await host.hooks.approve(request(), 60)).plugin == "a"


async def test_silence_until_the_deadline_is_a_rejection(hosted: Hosted):
    async def waiting(request):
        await asyncio.sleep(FOREVER)

    host = hosted(waits=approver(waiting))
    outcome = await host.hooks.approve(request(), 0.05)
    assert isinstance(outcome.decision, Reject)
    assert "waits did not answer within 50 ms" in outcome.decision.message


async def test_the_deadline_of_hooks_does_not_hold_for_a_person(hosted: Hosted):
    begun = asyncio.Event()
    release = asyncio.Event()

    async def person(request):
        begun.set()
        await release.wait()
        return Approve()

    host = hosted(SHORT, person=approver(person))
    asking = asyncio.create_task(host.hooks.approve(request(), 60))
    await begun.wait()
    await asyncio.sleep(0.1)
    release.set()
    assert isinstance((await asking).decision, Approve)


async def test_when_nobody_has_an_opinion_it_is_rejected(hosted: Hosted):
    outcome = await hosted(a=answering(None)).hooks.approve(request(), 60)
    assert outcome == ApprovalOutcome(
        Reject(message="approval is needed, but no approver could answer", by="toolsearch")
    )


@pytest.mark.parametrize("wrong", [True, "yes", 1])
async def test_anything_but_a_decision_is_no_approval(hosted: Hosted, wrong):
    outcome = await hosted(wrong=answering(wrong)).hooks.approve(request(), 60)
    assert isinstance(outcome.decision, Reject)
    assert "wrong gave a wrong answer" in outcome.decision.message


async def test_edited_arguments_arrive_with_the_approval(hosted: Hosted):
    host = hosted(edits=answering(Approve(arguments={"url": "https://other.example"})))
    decision = (await host.hooks.approve(request(), 60)).decision
    assert decision.arguments == {"url": "https://other.example"}


async def test_a_cancelled_run_stops_asking(hosted: Hosted):
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def waiting(request):
        begun.set()
        try:
            await asyncio.sleep(FOREVER)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    host = hosted(waits=approver(waiting))
    asking = asyncio.create_task(host.hooks.approve(request(), 60))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await cancelled.wait()


async def test_an_approver_may_block_a_thread_of_its_own(hosted: Hosted):
    loop = asyncio.get_running_loop()
    begun, release = asyncio.Event(), threading.Event()

    def blocking(self, request):
        loop.call_soon_threadsafe(begun.set)
        release.wait()
        return Approve()

    host = hosted(blocks=plugin_with(toolsearch_approve=blocking))
    asking = asyncio.create_task(host.hooks.approve(request(), 60))
    await begun.wait()
    release.set()
    assert (await asking).plugin == "blocks"
    await host.shutdown()
