"""What ends a body, and what it cannot reach: the half of the runner's suite about bounds."""

from __future__ import annotations

import asyncio

from toolsearch_hookspecs import CodeOutcome, CodeRunner, ErrorCode

from ._case import Conformance, case, expect
from ._recorded_bridge import RecordedBridge, code_limits

GLOBALS = (
    "process", "require", "module", "fetch", "WebSocket", "Worker", "Deno", "Bun", "setTimeout",
    "queueMicrotask", "performance", "navigator", "Buffer", "WebAssembly",
)  # fmt: skip


class RunnerBounds(Conformance):
    """Cases of `CodeRunnerConformance`."""

    @case
    async def test_too_many_calls_have_an_outcome_of_their_own(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await run_body(
            runner,
            "for (let n = 0; n < 30; n++) await openclaw.tools.call('echo', { n }); return 1;",
            bridge,
        )
        failure = outcome.error.failure if outcome.error else None
        told_so = outcome.outcome == "too_many_calls" or (
            failure is not None and failure.code is ErrorCode.TOO_MANY_CALLS
        )
        expect(
            told_so and len(bridge.calls) <= 20,
            f"{len(bridge.calls)} calls, ended as {outcome.outcome}; `max_bridge_calls` is 20, and "
            "one more ends it as `too_many_calls`",
        )

    @case
    async def test_a_body_that_never_ends_is_killed(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "while (true) {}", timeout_ms=1_000)
        expect(
            outcome.outcome == "timeout", f"ended as {outcome.outcome}, not timeout; kill it then"
        )

    @case
    async def test_a_body_that_waits_for_a_tool_is_ended(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        outcome = await run_body(
            runner, "await openclaw.tools.call('wait')", bridge, timeout_ms=1_000
        )
        expect(
            outcome.outcome == "timeout", f"ended as {outcome.outcome}, not timeout; kill it then"
        )
        expect(
            bridge.cancelled == ["wait"], "a body was ended and its call left open; cancel it too"
        )

    @case
    async def test_a_body_that_waits_for_nothing_is_ended(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "await new Promise(() => {});", timeout_ms=2_000)
        expect(
            outcome.outcome in {"deadlock", "timeout"},
            f"ended as {outcome.outcome}; what waits for nothing ends as `deadlock` or `timeout`",
        )

    @case
    async def test_waiting_for_a_person_stops_the_clock(self, runner: CodeRunner) -> None:
        bridge = RecordedBridge()
        step = run_body(runner, "return (await openclaw.tools.call('wait', { n: 1 })).result;", bridge,
                    timeout_ms=1_000)  # fmt: skip
        running = asyncio.ensure_future(step)
        await bridge.started.wait()
        bridge.waiting(1)
        await asyncio.sleep(1.5)
        bridge.gate.set()
        bridge.waiting(0)
        outcome = await running
        expect(
            outcome.value == {"n": 1},
            f"ended as {outcome.outcome} while a person was asked; stop the clock while the bridge "
            "says that calls wait (`on_waiting`)",
        )

    @case
    async def test_a_script_that_is_too_large_is_refused(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, f"return {'x' * 20_000!r};")
        expect(
            outcome.outcome == "script_too_large",
            f"ended as {outcome.outcome}; over `max_script_bytes` it is `script_too_large`",
        )

    @case
    async def test_a_value_that_is_too_large_says_so(self, runner: CodeRunner) -> None:
        outcome = await run_body(runner, "return 'x'.repeat(50000);")
        expect(
            outcome.outcome == "result_too_large",
            f"ended as {outcome.outcome}; over `max_value_bytes` it is `result_too_large`",
        )

    @case
    async def test_logs_are_bounded_and_say_so(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner, "for (let n = 0; n < 999; n++) console.log('x'.repeat(99)); return 1;"
        )
        size = sum(len(line.text.encode()) for line in outcome.logs)
        expect(outcome.ok and size <= 6_000, f"{size} bytes of log; `max_log_bytes` is 5000")

    @case
    async def test_memory_is_bounded(self, runner: CodeRunner) -> None:
        outcome = await run_body(
            runner, "const a = []; while (true) a.push(new Array(1e6).fill(a.length));"
        )
        ends = {"memory", "crashed", "timeout"}
        expect(outcome.outcome in ends, f"ended as {outcome.outcome}; `memory_mb` bounds a body")

    @case
    async def test_nothing_of_the_runtime_is_in_reach(self, runner: CodeRunner) -> None:
        names = ", ".join(f"{name}: typeof {name}" for name in GLOBALS)
        outcome = await run_body(runner, f"return {{ {names} }};")
        kinds = outcome.value if isinstance(outcome.value, dict) else dict.fromkeys(GLOBALS, "?")
        seen = [name for name, kind in kinds.items() if kind != "undefined"]
        expect(outcome.ok and not seen, f"a body sees {seen}; only console and openclaw are given")

    @case
    async def test_no_module_can_be_imported(self, runner: CodeRunner) -> None:
        for module in ("node:fs", "fs", "https://localhost/x.js", "data:text/javascript,1"):
            outcome = await run_body(
                runner, f"try {{ await import({module!r}); return 1; }} catch {{ return 0; }}"
            )
            expect(
                not outcome.ok or outcome.value == 0,
                f"a body imported {module}; refuse every import",
            )

    @case
    async def test_constructors_lead_nowhere(self, runner: CodeRunner) -> None:
        for path in (
            "openclaw.tools.call.constructor",
            "console.log.constructor",
            "openclaw.tools.search('x').constructor.constructor",
            "(async () => {}).constructor",
        ):
            outcome = await run_body(
                runner,
                f"try {{ const f = {path}('return typeof process + typeof require');"
                " return String(await f()); } catch { return 'undefinedundefined'; }",
            )
            expect(
                not outcome.ok or outcome.value == "undefinedundefined",
                f"{path} reaches the runtime's own realm: {outcome.value}; hand over strings only",
            )


async def run_body(
    runner: CodeRunner, code: str, bridge: RecordedBridge | None = None, **limits: int
) -> CodeOutcome:
    return await runner.run(code, bridge or RecordedBridge(), code_limits(**limits))
