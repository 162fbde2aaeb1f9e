"""What the host and every author may expect of a code runner: the promises of its isolation too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolsearch_hookspecs import (
    Attestation,
    CodeOutcome,
    CodeRunner,
    ErrorCode,
)

from ._case import Conformance, case, expect, outcome_of, scene, told
from ._recorded_bridge import RecordedBridge, code_limits

GLOBALS = (
    "process", "require", "module", "fetch", "WebSocket", "Worker", "Deno", "Bun", "setTimeout",
    "queueMicrotask", "performance", "navigator", "Buffer", "WebAssembly",
)  # fmt: skip


ALWAYS = frozenset(
    {
        "test_it_has_every_member_of_a_code_runner",
        "test_where_it_is_not_available_it_runs_nothing",
        "test_what_is_missing_is_named_with_a_cure",
        "test_probing_side_by_side_agrees",
    }
)


class CodeRunnerConformance(Conformance):
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
        expect(isinstance(found, Attestation), "`probe` gives no Attestation")
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
        expect(found.network in {"runtime", "os"}, f"isolated, but the network is {found.network}")
        opened = [scope for scope, state in found.scopes.items() if state == "open"]
        expect(not opened, f"isolated, but {opened} are open")

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
        outcome = await _run(
            runner, "return { sum: 1 + 2, text: '日本語 👩‍👩‍👧‍👦', list: [null, true] };"
        )
        wanted = {"sum": 3, "text": "日本語 👩‍👩‍👧‍👦", "list": [None, True]}
        expect(outcome.ok and outcome.value == wanted, f"gave {outcome}")

    @case
    async def test_a_body_that_returns_nothing_gives_none(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "const x = 1;")
        expect(outcome.ok and outcome.value is None, f"gave {outcome}")

    @case
    async def test_the_bridge_is_there(self, runner: CodeRunner) -> None:
        outcome = await _run(
            runner,
            "const hits = await openclaw.tools.search('x', { limit: 2 });"
            "const tool = await openclaw.tools.describe(hits[0].id);"
            "return [hits, tool, await openclaw.tools.call(tool.id, { a: [1] })];",
        )
        expect(outcome.ok, f"search, describe and call failed: {outcome.error}")
        hits, tool, called = outcome.value
        expect(hits[0]["options"] == {"limit": 2}, f"options did not arrive: {hits}")
        expect(tool["id"] == "plugin:test:echo", f"describe gave {tool}")
        expect(called["result"] == {"a": [1]}, f"call gave {called}")

    @case
    async def test_logs_keep_level_and_order(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "console.log('a', 1); console.warn('b'); console.error('c');")
        levels = [(line.level, line.text) for line in outcome.logs]
        expect(levels == [("log", "a 1"), ("warn", "b"), ("error", "c")], f"logged {levels}")

    @case
    async def test_logs_survive_an_error(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "console.log('before'); throw new TypeError('wrong');")
        expect([line.text for line in outcome.logs] == ["before"], "the log was lost")
        error = outcome.error
        expect(outcome.outcome == "exception" and error, f"ended as {outcome.outcome}")
        expect(error and (error.name, error.message) == ("TypeError", "wrong"), f"gave {error}")

    @case
    async def test_a_syntax_error_says_its_line(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "const a = 1;\nconst b = ;\nreturn a;")
        expect(outcome.outcome == "syntax" and outcome.error, f"ended as {outcome.outcome}")
        expect(outcome.error and outcome.error.line == 2, f"gave {outcome.error}, not line 2")

    @case
    async def test_a_failed_call_rejects_with_its_code(self, runner: CodeRunner) -> None:
        outcome = await _run(
            runner,
            "try { await openclaw.tools.call('fail', {}); return 'none'; }"
            "catch (e) { return [e.code, e.message, e.tool, e.retryable]; }",
        )
        expect(outcome.value == ["tool_error", "it failed", "fail", False], f"gave {outcome}")

    @case
    async def test_calls_run_side_by_side_up_to_the_limit(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await _run(
            runner,
            "return (await Promise.all([1,2,3,4,5,6].map(n => openclaw.tools.call('echo', { n }))))"
            ".map(r => r.result.n);",
            bridge,
            max_parallel_calls=2,
        )
        expect(outcome.value == [1, 2, 3, 4, 5, 6], f"gave {outcome}")
        expect(bridge.most_at_once == 2, f"{bridge.most_at_once} calls at once, not 2")

    @case
    async def test_calls_that_are_not_awaited_are_finished_first(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await _run(runner, "openclaw.tools.call('echo', { n: 1 }); return 1;", bridge)
        expect(outcome.ok and bridge.calls == [("echo", {"n": 1})], f"made {bridge.calls}")
        expect(not bridge.cancelled, "a call that was not awaited was cancelled; finish it first")

    @case
    async def test_too_many_calls_have_an_outcome_of_their_own(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await _run(
            runner,
            "for (let n = 0; n < 30; n++) await openclaw.tools.call('echo', { n }); return 1;",
            bridge,
        )
        failure = outcome.error.failure if outcome.error else None
        told_so = outcome.outcome == "too_many_calls" or (
            failure is not None and failure.code is ErrorCode.TOO_MANY_CALLS
        )
        expect(told_so and len(bridge.calls) <= 20, f"{len(bridge.calls)} calls of at most 20")

    @case
    async def test_a_body_that_never_ends_is_killed(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "while (true) {}", timeout_ms=1_000)
        expect(outcome.outcome == "timeout", f"ended as {outcome.outcome}, not timeout")

    @case
    async def test_a_body_that_waits_for_a_tool_is_ended(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await _run(runner, "await openclaw.tools.call('wait')", bridge, timeout_ms=1_000)
        expect(outcome.outcome == "timeout", f"ended as {outcome.outcome}, not timeout")
        expect(bridge.cancelled == ["wait"], "the open call was not cancelled")

    @case
    async def test_a_body_that_waits_for_nothing_is_ended(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "await new Promise(() => {});", timeout_ms=2_000)
        expect(outcome.outcome in {"deadlock", "timeout"}, f"ended as {outcome.outcome}")

    @case
    async def test_waiting_for_a_person_stops_the_clock(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        step = _run(runner, "return (await openclaw.tools.call('wait', { n: 1 })).result;", bridge,
                    timeout_ms=1_000)  # fmt: skip
        running = asyncio.ensure_future(step)
        await bridge.started.wait()
        bridge.waiting(1)
        await asyncio.sleep(1.5)
        bridge.gate.set()
        bridge.waiting(0)
        outcome = await running
        expect(outcome.value == {"n": 1}, f"ended as {outcome.outcome} while a person was asked")

    @case
    async def test_a_script_that_is_too_large_is_refused(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, f"return {'x' * 20_000!r};")
        expect(outcome.outcome == "script_too_large", f"ended as {outcome.outcome}")

    @case
    async def test_a_value_that_is_too_large_says_so(self, runner: CodeRunner) -> None:
        outcome = await _run(runner, "return 'x'.repeat(50000);")
        expect(outcome.outcome == "result_too_large", f"ended as {outcome.outcome}")

    @case
    async def test_logs_are_bounded_and_say_so(self, runner: CodeRunner) -> None:
        outcome = await _run(
            runner, "for (let n = 0; n < 999; n++) console.log('x'.repeat(99)); return 1;"
        )
        size = sum(len(line.text.encode()) for line in outcome.logs)
        expect(outcome.ok and size <= 6_000, f"{size} bytes of log for a limit of 5000")

    @case
    async def test_memory_is_bounded(self, runner: CodeRunner) -> None:
        outcome = await _run(
            runner, "const a = []; while (true) a.push(new Array(1e6).fill(a.length));"
        )
        ends = {"memory", "crashed", "timeout"}
        expect(outcome.outcome in ends, f"ended as {outcome.outcome}")

    @case
    async def test_values_that_json_cannot_hold_have_stand_ins(self, runner: CodeRunner) -> None:
        outcome = await _run(
            runner,
            "const c = {}; c.self = c;"
            "return { big: 10n, date: new Date(0), map: new Map([[1, 2]]), set: new Set([3]), c };",
        )
        expect(outcome.ok, f"failed: {outcome.error}")
        value = outcome.value
        expect(value["big"] == "10", f"BigInt became {value['big']!r}, not a string")
        expect(value["date"] == "1970-01-01T00:00:00.000Z", f"Date became {value['date']!r}")
        expect((value["map"], value["set"]) == ([[1, 2]], [3]), "Map and Set become arrays")

    @case
    async def test_nothing_of_the_runtime_is_in_reach(self, runner: CodeRunner) -> None:
        names = ", ".join(f"{name}: typeof {name}" for name in GLOBALS)
        outcome = await _run(runner, f"return {{ {names} }};")
        seen = [name for name, kind in (outcome.value or {}).items() if kind != "undefined"]
        expect(outcome.ok and not seen, f"a body sees {seen}; only console and openclaw are given")

    @case
    async def test_no_module_can_be_imported(self, runner: CodeRunner) -> None:
        for module in ("node:fs", "fs", "https://localhost/x.js", "data:text/javascript,1"):
            outcome = await _run(
                runner, f"try {{ await import({module!r}); return 1; }} catch {{ return 0; }}"
            )
            expect(not outcome.ok or outcome.value == 0, f"a body imported {module}")

    @case
    async def test_constructors_lead_nowhere(self, runner: CodeRunner) -> None:
        for path in (
            "openclaw.tools.call.constructor",
            "console.log.constructor",
            "openclaw.tools.search('x').constructor.constructor",
            "(async () => {}).constructor",
        ):
            outcome = await _run(
                runner,
                f"try {{ const f = {path}('return typeof process + typeof require');"
                " return String(await f()); } catch { return 'undefinedundefined'; }",
            )
            expect(
                not outcome.ok or outcome.value == "undefinedundefined",
                f"{path} reaches the runtime's own realm: {outcome.value}",
            )

    @case
    async def test_one_body_leaves_nothing_for_the_next(self, runner: CodeRunner) -> None:
        await _run(runner, "globalThis.left = 1; Array.prototype.map = () => 'mine'; return 1;")
        outcome = await _run(runner, "return [typeof left, [1].map(n => n + 1)];")
        expect(outcome.value == ["undefined", [2]], f"the next body saw {outcome.value}")

    @case
    async def test_bodies_side_by_side_do_not_mix(self, runner: CodeRunner) -> None:
        outcomes = await asyncio.gather(
            *(_run(runner, f"console.log({n}); return {n};") for n in range(4))
        )
        values = [(outcome.value, [line.text for line in outcome.logs]) for outcome in outcomes]
        expect(values == [(n, [str(n)]) for n in range(4)], f"bodies gave {values}")

    @case
    async def test_a_cancelled_body_leaves_no_call_open(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        task = asyncio.ensure_future(_run(runner, "await openclaw.tools.call('wait')", bridge))
        await bridge.started.wait()
        task.cancel()
        await asyncio.wait([task])
        expect(task.cancelled(), "cancelling a body did not end in CancelledError; let it pass")
        expect(bridge.cancelled == ["wait"], "a cancelled body left its call open; cancel it too")
        expect((await _run(runner, "return 1;")).value == 1, "after a cancelled body none runs")

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
            outcome, failure = await outcome_of(_run(runner, text))
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
        outcome, failure = await outcome_of(_run(runner, "return 1;"))
        expect(
            failure is None and isinstance(outcome, CodeOutcome),
            f"after closing a body raised {told(failure)}; give the outcome `unavailable`",
        )


async def _run(
    runner: CodeRunner, code: str, bridge: RecordedBridge | None = None, **limits: int
) -> CodeOutcome:
    return await runner.run(code, bridge or RecordedBridge(), code_limits(**limits))
