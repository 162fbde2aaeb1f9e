"""What the host and every author may expect of a code runner: the promises of its isolation too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolsearch_hookspecs import (
    Attestation,
    CodeOutcome,
    CodeRunner,
)

from ._case import case, expect, outcome_of, scene, told
from ._recorded_bridge import RecordedBridge, code_limits
from ._runner_bounds import RunnerBounds, run_body

ALWAYS = frozenset(
    {
        "test_it_has_every_member_of_a_code_runner",
        "test_where_it_is_not_available_it_runs_nothing",
        "test_what_is_missing_is_named_with_a_cure",
        "test_probing_side_by_side_agrees",
    }
)


class CodeRunnerConformance(RunnerBounds):
    """`class TestMine(CodeRunnerConformance): plugin = mine.plugin`"""

    patience = 60.0

    async def subject(self, folder: Path) -> CodeRunner:
        runner: CodeRunner = self.yielded("toolsearch_code_runners", folder)
        return runner

    async def ready(self, subject: CodeRunner, case: str) -> None:
        """Where the runner cannot run anything, only what it says of that is tried."""
        if case in ALWAYS:
            return
        found = await subject.probe()
        if not found.available:
            missing = ", ".join(found.missing)
            pytest.skip(f"the runner is not available here: {missing}; {found.cure}")

    @case
    async def test_it_has_every_member_of_a_code_runner(self, runner: CodeRunner) -> None:
        missing = [n for n in ("name", "probe", "run", "aclose") if not hasattr(runner, n)]
        expect(not missing, f"the runner lacks {missing}; see CodeRunner in toolsearch_hookspecs")

    @case
    async def test_where_it_is_not_available_it_runs_nothing(self, runner: CodeRunner) -> None:
        found = await runner.probe()
        expect(
            isinstance(found, Attestation),
            "`probe` gives no Attestation; give Attestation(available=...)",
        )
        if not found.available:
            outcome = await runner.run("return 1;", RecordedBridge(), code_limits())
            expect(
                outcome.outcome == "unavailable" and not found.isolated,
                f"it attests that it is not available, and ended a body as {outcome.outcome}",
            )

    @case
    async def test_it_attests_isolation_network_included(self, runner: CodeRunner) -> None:
        found = await runner.probe()
        expect(found.isolated, f"it is not isolated here: {found.missing}; {found.cure}")
        expect(
            found.network in {"runtime", "os"},
            f"isolated, but the network is {found.network}; try it, and say `runtime` or `os`",
        )
        opened = [scope for scope, state in found.scopes.items() if state == "open"]
        expect(not opened, f"isolated, but {opened} are open; then `isolated` is False")

    @case
    async def test_what_is_missing_is_named_with_a_cure(self, runner: CodeRunner) -> None:
        found = await runner.probe()
        expect(
            found.isolated or (found.missing and found.cure),
            "it is not isolated and does not say what is missing and what would mend it",
        )

    @case
    async def test_probing_side_by_side_agrees(self, runner: CodeRunner) -> None:
        found = await asyncio.gather(*(runner.probe() for _ in range(3)))
        expect(found[0] == found[1] == found[2], "probes differ; cache what was found")

    @case
    async def test_a_body_gives_its_value(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner, "return { sum: 1 + 2, text: '日本語 👩‍👩‍👧‍👦', list: [null, true] };"
        )
        wanted = {"sum": 3, "text": "日本語 👩‍👩‍👧‍👦", "list": [None, True]}
        expect(outcome.ok and outcome.value == wanted, f"gave {outcome}; give what it returns")

    @case
    async def test_a_body_that_returns_nothing_gives_none(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "const x = 1;")
        expect(outcome.ok and outcome.value is None, f"gave {outcome}; give the value None")

    @case
    async def test_the_bridge_is_there(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner,
            "const hits = await openclaw.tools.search('x', { limit: 2 });"
            "const tool = await openclaw.tools.describe(hits[0].id);"
            "return [hits, tool, await openclaw.tools.call(tool.id, { a: [1] })];",
        )
        expect(
            outcome.ok and isinstance(outcome.value, list),
            f"give a body `openclaw.tools`: {outcome.error or outcome.value}",
        )
        hits, tool, called = outcome.value
        expect(hits[0]["options"] == {"limit": 2}, f"hand the options on to the bridge: {hits}")
        expect(
            tool["id"] == "plugin:test:echo", f"give what the bridge gives; describe gave {tool}"
        )
        expect(called["result"] == {"a": [1]}, f"give what the bridge gives; call gave {called}")

    @case
    async def test_logs_keep_level_and_order(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner, "console.log('a', 1); console.warn('b'); console.error('c');"
        )
        levels = [(line.level, line.text) for line in outcome.logs]
        wanted = [("log", "a 1"), ("warn", "b"), ("error", "c")]
        expect(
            levels == wanted, f"logged {levels}; keep what console.log, warn and error are given"
        )

    @case
    async def test_logs_survive_an_error(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "console.log('before'); throw new TypeError('wrong');")
        expect(
            [line.text for line in outcome.logs] == ["before"],
            "the log was lost; keep it when a body throws",
        )
        error = outcome.error
        expect(
            outcome.outcome == "exception" and error,
            f"ended as {outcome.outcome}; a body that throws ends as `exception`",
        )
        expect(
            error and (error.name, error.message) == ("TypeError", "wrong"),
            f"gave {error}; keep name and message of what was thrown",
        )

    @case
    async def test_a_syntax_error_says_its_line(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "const a = 1;\nconst b = ;\nreturn a;")
        expect(
            outcome.outcome == "syntax" and outcome.error,
            f"ended as {outcome.outcome}; what cannot be parsed ends as `syntax`",
        )
        expect(outcome.error and outcome.error.line == 2, f"gave {outcome.error}, not line 2")

    @case
    async def test_a_failed_call_rejects_with_its_code(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner,
            "try { await openclaw.tools.call('fail', {}); return 'none'; }"
            "catch (e) { return [e.code, e.message, e.tool, e.retryable]; }",
        )
        expect(
            outcome.value == ["tool_error", "it failed", "fail", False],
            f"gave {outcome}; let a failed call reject with the fields of its CallFailure",
        )

    @case
    async def test_calls_run_side_by_side_up_to_the_limit(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await run_body(
            runner,
            "return (await Promise.all([1,2,3,4,5,6].map(n => openclaw.tools.call('echo', { n }))))"
            ".map(r => r.result.n);",
            bridge,
            max_parallel_calls=2,
        )
        expect(
            outcome.value == [1, 2, 3, 4, 5, 6], f"gave {outcome}; give each call its own answer"
        )
        expect(
            bridge.most_at_once == 2,
            f"{bridge.most_at_once} calls at once; `max_parallel_calls` is 2",
        )

    @case
    async def test_calls_that_are_not_awaited_are_finished_first(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await run_body(runner, "openclaw.tools.call('echo', { n: 1 }); return 1;", bridge)
        expect(
            outcome.ok and bridge.calls == [("echo", {"n": 1})],
            f"made {bridge.calls}; start a call when it is made, awaited or not",
        )
        expect(not bridge.cancelled, "a call that was not awaited was cancelled; finish it first")

    @case
    async def test_values_that_json_cannot_hold_have_stand_ins(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner,
            "const c = {}; c.self = c;"
            "return { big: 10n, date: new Date(0), map: new Map([[1, 2]]), set: new Set([3]), c };",
        )
        expect(
            isinstance(outcome.value, dict),
            f"give what JSON cannot hold a stand-in: {outcome.error}",
        )
        value = outcome.value
        expect(value["big"] == "10", f"BigInt became {value['big']!r}, not a string")
        expect(value["date"] == "1970-01-01T00:00:00.000Z", f"Date became {value['date']!r}")
        expect((value["map"], value["set"]) == ([[1, 2]], [3]), "Map and Set become arrays")

    @case
    async def test_one_body_leaves_nothing_for_the_next(self, runner: CodeRunner) -> None:
        await run_body(runner, "globalThis.left = 1; Array.prototype.map = () => 'mine'; return 1;")
        outcome = await run_body(runner, "return [typeof left, [1].map(n => n + 1)];")
        expect(
            outcome.value == ["undefined", [2]],
            f"the next body saw {outcome.value}; use no child twice",
        )

    @case
    async def test_bodies_side_by_side_do_not_mix(self, runner: CodeRunner) -> None:
        outcomes = await asyncio.gather(
            *(run_body(runner, f"console.log({n}); return {n};") for n in range(4))
        )
        values = [(outcome.value, [line.text for line in outcome.logs]) for outcome in outcomes]
        expect(
            values == [(n, [str(n)]) for n in range(4)],
            f"bodies gave {values}; share nothing between two",
        )

    @case
    async def test_a_cancelled_body_leaves_no_call_open(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        task = asyncio.ensure_future(run_body(runner, "await openclaw.tools.call('wait')", bridge))
        await bridge.started.wait()
        task.cancel()
        await asyncio.wait([task])
        expect(task.cancelled(), "cancelling a body did not end in CancelledError; let it pass")
        expect(bridge.cancelled == ["wait"], "a cancelled body left its call open; cancel it too")
        expect((await run_body(runner, "return 1;")).value == 1, "after a cancelled body none runs")

    @case
    async def test_no_text_of_a_body_raises(self, runner: CodeRunner) -> None:
        for text in (
            "",
            "\x00",
            "\ud800",
            "}",
            "})(); (async () => {",
            "`${",
            "/*",
            "\u2028",
            "#!",
        ):
            outcome, failure = await outcome_of(run_body(runner, text))
            expect(
                failure is None and isinstance(outcome, CodeOutcome),
                f"the body {text!r} raised {told(failure)}; a model may write anything",
            )

    @scene
    async def test_closing_without_running_is_fine(self, folder: Path) -> None:
        await self.close(await self.subject(folder))

    @case
    async def test_after_closing_a_body_is_still_answered(self, runner: CodeRunner) -> None:
        await self.close(runner)
        outcome, failure = await outcome_of(run_body(runner, "return 1;"))
        expect(
            failure is None and isinstance(outcome, CodeOutcome),
            f"after closing a body raised {told(failure)}; give the outcome `unavailable`",
        )
