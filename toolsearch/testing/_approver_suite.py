"""What the host and every author may expect of an approver."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject

from ._case import (
    HookConformance,
    all_survived,
    cancelled,
    case,
    expect,
    hook_answer,
    outcome_of,
    scene,
    told,
)
from ._samples import HOSTILE_TEXTS, make_call, make_request, make_tool

SILENCE = 0.3


class ApproverConformance(HookConformance):
    """`class TestMine(ApproverConformance): plugin = mine.plugin`

    Override `answer` with what a person does to give a decision, so that answers are tried too;
    where several wait and the approver asks one after the other, it may have to deny another first.
    `decides_alone` is for an approver that needs no person.
    """

    HOOK = "toolsearch_approve"

    decides_alone: ClassVar[bool] = False

    async def answer(
        self, approver: Any, request: ApprovalRequest, decision: ApprovalDecision
    ) -> None:
        """Do what a person does who takes this decision on this request."""
        pytest.skip("override `answer` in the suite to have answers tried")

    @case
    async def test_it_waits_without_keeping_a_thread(self, approver: Any) -> None:
        expect(
            asyncio.iscoroutinefunction(approver.toolsearch_approve),
            "toolsearch_approve is a plain function; one that waits for a person must be async, "
            "so that it can be cancelled when another approver answered first",
        )

    @case
    async def test_silence_approves_nothing(self, approver: Any) -> None:
        if self.decides_alone:
            pytest.skip("it decides without a person")
        async with asking(approver, make_request()) as asked:
            await asyncio.wait([asked], timeout=SILENCE)
            decision = asked.result() if asked.done() else None
            expect(
                not isinstance(decision, Approve),
                f"it approved although nobody answered: {decision}; give None where nobody can be "
                "asked",
            )

    @case
    async def test_an_answer_is_a_decision_or_none(self, approver: Any) -> None:
        async with asking(approver, make_request()) as asked:
            await asyncio.wait([asked], timeout=SILENCE)
            if asked.done():
                expect(
                    asked.result() is None or isinstance(asked.result(), Approve | Reject),
                    f"it answered {asked.result()!r}; give Approve, Reject or None",
                )

    @case
    async def test_an_expired_request_is_not_approved(self, approver: Any) -> None:
        async with asking(approver, make_request(seconds=-1)) as asked:
            await asyncio.wait([asked], timeout=SILENCE)
            decision = asked.result() if asked.done() else None
            expect(not isinstance(decision, Approve), "it approved a request that has expired")

    @case
    async def test_it_ends_when_another_answered_first(self, approver: Any) -> None:
        task = await cancelled(approver.toolsearch_approve(make_request()), turns=20)
        expect(
            task.cancelled() or not isinstance(task.result(), Approve),
            "it approved although it was cancelled; let CancelledError pass",
        )

    @case
    async def test_a_cancelled_request_leaves_it_usable(self, approver: Any) -> None:
        await cancelled(approver.toolsearch_approve(make_request(id="first")), turns=20)
        async with asking(approver, make_request(id="second")) as asked:
            await asyncio.wait([asked], timeout=SILENCE)
            failure = asked.exception() if asked.done() else None
            expect(failure is None, f"after a cancelled request it raised {told(failure)}")

    @case
    async def test_requests_wait_side_by_side(self, approver: Any) -> None:
        tasks = [
            asyncio.ensure_future(approver.toolsearch_approve(make_request(id=f"request_{n}")))
            for n in range(8)
        ]
        await asyncio.wait(tasks, timeout=SILENCE)
        failures = [task.exception() for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raised = [told(failure) for failure in failures if failure is not None]
        expect(not raised, f"requests side by side raised {raised[:1]}")

    @case
    async def test_no_text_of_a_request_raises(self, approver: Any) -> None:
        failures: dict[str, BaseException | None] = {}
        for number, text in enumerate(HOSTILE_TEXTS):
            tool = make_tool(text or "x", text, label=text, trusted=False)
            call = make_call(tool, id=f"call_{number}", arguments={"path": text, text: [text]})
            step = approver.toolsearch_approve(make_request(call, id=f"odd_{number}"))
            asked = asyncio.ensure_future(outcome_of(step))
            await asyncio.wait([asked], timeout=0.05)
            failures[text] = asked.result()[1] if asked.done() else None
            asked.cancel()
            await asyncio.wait([asked])
        all_survived(failures, "A tool and a model may write anything")

    @case
    async def test_an_approval_arrives(self, approver: Any) -> None:
        decision = await self._decision(approver, make_request(), Approve(by="someone"))
        expect(isinstance(decision, Approve), f"an approval arrived as {decision!r}")
        expect(decision.by, "`by` is empty; name who approved")

    @case
    async def test_a_rejection_arrives_with_its_message(self, approver: Any) -> None:
        asked = Reject(message="not on a Friday", by="someone")
        decision = await self._decision(approver, make_request(), asked)
        expect(isinstance(decision, Reject), f"a rejection arrived as {decision!r}")
        expect("Friday" in decision.message, f"its message was lost: {decision.message!r}")

    @case
    async def test_an_answer_is_for_one_request(self, approver: Any) -> None:
        first, second = (
            make_request(make_call(arguments={"path": f"{name}.txt"}), id=name)
            for name in ("first", "second")
        )
        async with asking(approver, second) as other:
            decision = await self._decision(approver, first, Approve(by="someone"))
            expect(isinstance(decision, Approve), f"an approval arrived as {decision!r}")
            done, _ = await asyncio.wait([other], timeout=SILENCE)
            answered = [task.result() for task in done]
            approved = [each for each in answered if isinstance(each, Approve)]
            expect(not approved, "the answer to one request was taken for another too")

    @case
    async def test_an_approval_once_is_not_for_ever(self, approver: Any) -> None:
        await self._decision(approver, make_request(id="first"), Approve(by="someone"))
        async with asking(approver, make_request(id="second")) as asked:
            await asyncio.wait([asked], timeout=SILENCE)
            decision = asked.result() if asked.done() else None
            expect(not isinstance(decision, Approve), "an approval for once answered twice")

    @scene
    async def test_closing_while_it_waits_ends_the_waiting(self, folder: Path) -> None:
        approver = await self.subject(folder)
        async with asking(approver, make_request()):
            await asyncio.sleep(0)
        await self.close(approver)

    @scene
    async def test_closing_an_approver_that_was_never_asked_is_fine(self, folder: Path) -> None:
        await self.close(await self.subject(folder))

    async def _decision(
        self, approver: Any, request: ApprovalRequest, decision: ApprovalDecision
    ) -> Any:
        async with asking(approver, request) as asked:
            await self.answer(approver, request, decision)
            return await asked


@asynccontextmanager
async def asking(approver: Any, request: ApprovalRequest) -> AsyncIterator[asyncio.Task[Any]]:
    """The approver, asked, for the time of the block; cancelled after it."""
    task = asyncio.ensure_future(hook_answer(approver.toolsearch_approve, request=request))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
