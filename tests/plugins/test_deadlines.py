"""Deadlines, cancellation, and whatever else an implementation does to escape them."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time

import pytest

from toolsearch_hookspecs import Limits, PolicyAnswer, Proceed, hookimpl

from .conftest import LONG, SHORT, Hosted, call, plugin_with, run, tool

FOREVER = 3600


async def denied_reason(host) -> str:
    verdict = await host.hooks.policy(run(), [tool()], None)
    return verdict.denied[tool().id].value.reason


async def test_a_policy_that_hangs_denies_at_the_deadline(hosted: Hosted):
    async def policy(self):
        await asyncio.sleep(FOREVER)

    host = hosted(SHORT, slow=plugin_with(toolsearch_tool_policy=policy))
    assert await denied_reason(host) == "the policy slow did not answer within 50 ms"
    await host.shutdown()


async def test_a_hook_that_swallows_its_cancellation_is_not_taken_for_an_abstention(
    hosted: Hosted,
):
    release = asyncio.Event()
    swallowed = asyncio.Event()

    async def before(self, call):
        try:
            await release.wait()
        except asyncio.CancelledError:
            swallowed.set()
        return Proceed()

    host = hosted(SHORT, stubborn=plugin_with(toolsearch_before_tool_call=before))
    outcome = await host.hooks.before(call())
    assert outcome.denied is not None
    await swallowed.wait()
    await host.shutdown()


async def test_a_hook_that_will_not_end_is_left_behind(hosted: Hosted):
    release = asyncio.Event()

    async def before(self, call):
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    host = hosted(SHORT, stubborn=plugin_with(toolsearch_before_tool_call=before))
    outcome = await host.hooks.before(call())
    assert outcome.denied is not None
    await host.shutdown()
    release.set()
    await asyncio.sleep(0)


async def test_an_answer_after_the_deadline_is_a_failure_whatever_it_says(hosted: Hosted):
    async def policy(self):
        time.sleep(0.2)  # noqa: ASYNC251 - holds the loop, so that no timer can fire before it
        return PolicyAnswer()

    host = hosted(SHORT, blocking=plugin_with(toolsearch_tool_policy=policy))
    assert "did not answer within 50 ms" in await denied_reason(host)


async def test_a_late_inline_answer_is_a_failure_and_a_slow_one_is_reported(hosted: Hosted):
    class Slow:
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self):
            time.sleep(0.2)
            return PolicyAnswer()

    host = hosted(SHORT, inline=Slow)
    assert "did not answer within 50 ms" in await denied_reason(host)
    assert "plugins.slow-inline" in {each.code for each in host.diagnostics}

    patient = hosted(LONG, inline=Slow)
    assert (await patient.hooks.policy(run(), [tool()], None)).denied == {}
    assert [each.code for each in patient.diagnostics] == ["plugins.slow-inline"]


async def test_a_function_that_blocks_is_given_up_and_does_not_hold_the_loop(hosted: Hosted):
    release = threading.Event()

    def policy(self):
        release.wait()
        return PolicyAnswer()

    host = hosted(SHORT, blocking=plugin_with(toolsearch_tool_policy=policy))
    assert "did not answer within 50 ms" in await denied_reason(host)
    release.set()
    await host.shutdown()


async def test_the_deadline_is_the_one_in_force(hosted: Hosted):
    async def policy(self):
        await asyncio.sleep(FOREVER)

    host = hosted(LONG, slow=plugin_with(toolsearch_tool_policy=policy))
    host.set_limits(Limits(hook_timeout_ms=20))
    assert "within 20 ms" in await denied_reason(host)


def ending(error: BaseException, *, coroutine: bool) -> type:
    if coroutine:

        async def policy(self):
            raise error
    else:

        def policy(self):
            raise error

    return plugin_with(toolsearch_tool_policy=policy)


@pytest.mark.parametrize("coroutine", [True, False], ids=["async def", "def"])
@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        StopIteration(4),
        GeneratorExit(),
        asyncio.CancelledError(),
        StopAsyncIteration(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_hook_raises_is_a_failure(hosted: Hosted, error, coroutine: bool):
    host = hosted(LONG, leaving=ending(error, coroutine=coroutine))
    assert "the policy leaving raised" in await denied_reason(host)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await host.shutdown()


@pytest.mark.parametrize("kind", ["async def", "def", "inline"])
def test_an_interrupt_by_the_user_passes(hosted: Hosted, kind: str):
    if kind == "inline":

        class Inline:
            @hookimpl(inline=True)
            def toolsearch_tool_policy(self):
                raise KeyboardInterrupt

        plugin = Inline
    else:
        plugin = ending(KeyboardInterrupt(), coroutine=kind == "async def")

    host = hosted(LONG, interrupted=plugin)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(host.hooks.policy(run(), [tool()], None))


@pytest.mark.parametrize("coroutine", [True, False], ids=["async def", "def"])
async def test_the_runs_own_cancellation_passes_out_and_on(hosted: Hosted, coroutine: bool):
    loop = asyncio.get_running_loop()
    begun, cancelled, release = asyncio.Event(), asyncio.Event(), threading.Event()

    if coroutine:

        async def policy(self):
            begun.set()
            try:
                await asyncio.sleep(FOREVER)
            except asyncio.CancelledError:
                cancelled.set()
                raise
    else:

        def policy(self):
            loop.call_soon_threadsafe(begun.set)
            release.wait()

    host = hosted(LONG, slow=plugin_with(toolsearch_tool_policy=policy))
    asking = asyncio.create_task(host.hooks.policy(run(), [tool()], None))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    if coroutine:
        await cancelled.wait()
    release.set()
    assert host.diagnostics == ()
    await host.shutdown()


async def test_a_run_cancelled_before_the_hook_began_leaves_nothing_unawaited(hosted: Hosted):
    async def policy(self):
        return PolicyAnswer()

    host = hosted(LONG, sound=plugin_with(toolsearch_tool_policy=policy))

    async def cancelled_at_once() -> None:
        asyncio.current_task().cancel()
        await host.hooks.policy(run(), [tool()], None)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(cancelled_at_once())
    await host.shutdown()


async def test_a_def_that_returns_a_coroutine_answers_wrongly(hosted: Hosted):
    async def answer():
        return PolicyAnswer()

    def policy(self):
        return answer()

    def built(self):
        return answer()

    host = hosted(
        LONG,
        mixed=plugin_with(toolsearch_tool_policy=policy, toolsearch_catalog_built=built),
    )
    assert "gave a wrong answer" in await denied_reason(host)
    await host.hooks.catalog_built(run(), [])
    assert any("declare the hook `async def`" in each.message for each in host.diagnostics)
    await host.shutdown()


async def test_workers_of_a_plugin_are_bounded_and_those_of_others_stay_free(hosted: Hosted):
    release = threading.Event()
    names: set[str] = set()

    def blocking(self):
        names.add(threading.current_thread().name)
        release.wait()

    def sound(self):
        return PolicyAnswer()

    host = hosted(
        Limits(hook_timeout_ms=200),
        hung=plugin_with(toolsearch_catalog_built=blocking),
        sound=plugin_with(toolsearch_tool_policy=sound),
    )
    await asyncio.gather(*(host.hooks.catalog_built(run(), []) for _ in range(12)))
    assert len(names) <= 4
    assert all("hung" in name for name in names)
    host.set_limits(LONG)
    assert (await host.hooks.policy(run(), [tool()], None)).denied == {}

    await host.hooks.catalog_built(run(), [])  # all are stuck: it fails at once
    release.set()
    await host.shutdown()


async def test_workers_that_come_back_serve_again(hosted: Hosted):
    release = threading.Event()
    begun = []

    def policy(self):
        begun.append(threading.current_thread())
        release.wait()
        return PolicyAnswer()

    host = hosted(SHORT, hung=plugin_with(toolsearch_tool_policy=policy))
    while len(begun) < 4:
        assert "did not answer" in await denied_reason(host)
    assert "still busy with earlier calls" in await denied_reason(host)
    host.set_limits(LONG)
    release.set()
    denied = {tool().id}
    while denied:  # until the first worker is back
        denied = (await host.hooks.policy(run(), [tool()], None)).denied
    await host.shutdown()


async def test_a_call_that_waited_for_a_worker_beyond_its_deadline_is_not_made(hosted: Hosted):
    release = threading.Event()
    calls = []

    def built(self, run):
        calls.append(run.run_id)
        release.wait()

    host = hosted(SHORT, hung=plugin_with(toolsearch_catalog_built=built))
    await asyncio.gather(*(host.hooks.catalog_built(run(str(n)), []) for n in range(6)))
    release.set()
    host.set_limits(LONG)
    while len([each for each in calls if each == "last"]) < 1:
        await host.hooks.catalog_built(run("last"), [])
    assert set(calls) <= {"0", "1", "2", "3", "last"}
    await host.shutdown()


async def test_hooks_see_the_context_of_their_caller(hosted: Hosted):
    span = contextvars.ContextVar("span", default="none")
    seen = {}

    def threaded(self):
        seen["worker"] = span.get()

    async def coroutine(self):
        seen["task"] = span.get()

    host = hosted(
        LONG,
        a=plugin_with(toolsearch_catalog_built=threaded),
        b=plugin_with(toolsearch_catalog_built=coroutine),
    )
    span.set("the run's")
    await host.hooks.catalog_built(run(), [])
    assert seen == {"worker": "the run's", "task": "the run's"}
    await host.shutdown()


def test_a_host_may_be_called_from_one_loop_after_another(hosted: Hosted):
    def policy(self):
        return PolicyAnswer()

    host = hosted(LONG, sound=plugin_with(toolsearch_tool_policy=policy))
    for _ in range(2):
        assert asyncio.run(host.hooks.policy(run(), [tool()], None)).denied == {}


async def test_after_the_host_was_closed_what_decides_stays_closed(hosted: Hosted):
    def policy(self):
        return PolicyAnswer()

    host = hosted(LONG, sound=plugin_with(toolsearch_tool_policy=policy))
    await host.shutdown()
    assert tool().id in (await host.hooks.policy(run(), [tool()], None)).denied
