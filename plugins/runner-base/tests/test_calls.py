"""The calls of a body: when they run, how many at once, how they fail, and the clock."""

from __future__ import annotations

import asyncio

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def run(runner, toolbox, limits_of):
    async def go(code: str, tools=None, **bounds: int):
        return await runner.run(code, tools or toolbox(), limits_of(**bounds))

    return go


async def test_calls_run_side_by_side_up_to_the_bound(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run(
        "return (await Promise.all(Array.from({length: 30}, () => "
        "openclaw.tools.call('count', {text: 'abc'})))).length",
        tools,
        max_parallel_calls=4,
    )
    assert outcome.value == 30
    assert tools.most_at_once == 4


async def test_a_call_is_started_when_it_is_made(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run("openclaw.tools.call('echo', 1); return 'ended'", tools)
    assert outcome.value == "ended"
    assert tools.calls == [("echo", 1)]
    assert "1 call was still open" in outcome.notes[0]


async def test_a_call_made_after_the_body_returned_is_finished_too(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run(
        "openclaw.tools.search('a').then(() => openclaw.tools.call('echo', 'late')); return 1",
        tools,
    )
    assert outcome.value == 1
    assert [name for name, _ in tools.calls] == ["search", "echo"]


async def test_a_call_that_failed_and_was_not_awaited_is_told(runtime, run):
    outcome = await run("openclaw.tools.call('fail'); return 1")
    assert outcome.ok
    assert "1 of them failed" in outcome.notes[0]


async def test_open_calls_are_cancelled_at_the_deadline_and_named(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run(
        "console.log('a'); await openclaw.tools.call('hang')", tools, timeout_ms=500
    )
    assert outcome.outcome == "timeout"
    assert tools.cancelled == ["hang"]
    assert "call 1 (hang)" in outcome.error.message
    assert [line.text for line in outcome.logs] == ["a"]


async def test_logs_of_a_loop_that_never_ends_survive_the_deadline(runtime, run):
    outcome = await run("console.log('a'); console.warn('b'); for (;;);", timeout_ms=1_000)
    assert outcome.outcome == "timeout"
    assert [(line.level, line.text) for line in outcome.logs] == [("log", "a"), ("warn", "b")]
    assert "are lost" not in outcome.error.message


async def test_the_message_says_when_logs_are_lost(runtime, run):
    outcome = await run(
        "console.log('a'); return new Array(2 ** 27).fill(0).map((x) => [x]).length"
    )
    assert outcome.outcome in {"memory", "crashed", "timeout"}
    assert outcome.logs or "are lost" in outcome.error.message


async def test_logs_keep_level_and_order_through_an_error(runtime, run):
    outcome = await run("console.log(1); console.error(2); console.warn(3); null.x")
    assert [(line.level, line.text) for line in outcome.logs] == [
        ("log", "1"),
        ("error", "2"),
        ("warn", "3"),
    ]


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("const a = 1;\nnull.x;", "TypeError", 2),
        ("\n\nthrow new RangeError('x')", "RangeError", 3),
        ("const f = () => {\n  throw new Error('x');\n};\nf();", "Error", 2),
        (
            "const f = async () => {\n  await null;\n  throw new Error('x');\n};\nawait f();",
            "Error",
            3,
        ),
        (
            "await Promise.all([1, 2].map(async (n) => {\n  await null;\n  if (n === 2) throw new Error('x');\n}));",
            "Error",
            3,
        ),
        ("const o = {\n  get x() {\n    return missing;\n  },\n};\no.x;", "ReferenceError", 3),
        ("class A {\n  constructor() {\n    this.a.b;\n  }\n}\nnew A();", "TypeError", 3),
        (
            "function* g() {\n  yield 1;\n  throw new Error('x');\n}\nfor (const x of g());",
            "Error",
            3,
        ),
        ("for (const x of [1])\n  x.y.z;", "TypeError", 1),
        ("if (true) {\n  null.x;\n}", "TypeError", 2),
        ("switch (1) {\n  case 1:\n    null.x;\n}", "TypeError", 3),
        ("try {\n  null.x;\n} catch (e) {\n  throw new Error('other');\n}", "Error", 4),
        ("const xs = [1];\nreturn xs.map((x) =>\n  x.y.z);", "TypeError", 3),
        ("throw 'text'", "Thrown value", 1),
        ("\nthrow { a: 1 }", "Thrown value", 2),
        ("\nawait openclaw.tools.call('fail')", "ToolError", 2),
        ("const a = ;", "SyntaxError", 1),
        ("const a = 1;\n\nconst b = (;", "SyntaxError", 3),
        ("const a = 1;\nconst a = 2;", "SyntaxError", 2),
        ("return 1;\nreturn {", "SyntaxError", 3),
    ],
)
async def test_an_error_carries_its_line(runtime, run, code, name, line):
    outcome = await run(code)
    assert (outcome.error.name, outcome.error.line) == (name, line)


async def test_an_uncaught_failure_of_a_call_carries_the_failure(runtime, run):
    outcome = await run("await openclaw.tools.call('blocked')")
    assert outcome.outcome == "exception"
    assert outcome.error.failure.by == "policy-rules"


async def test_a_failure_that_was_wrapped_is_the_bodys_own_error(runtime, run):
    outcome = await run(
        "try { await openclaw.tools.call('blocked') } catch (e) { throw new Error('mine') }"
    )
    assert outcome.error.failure is None


async def test_a_bug_of_the_host_is_a_failure_without_its_text(runtime, run):
    outcome = await run(
        "try { await openclaw.tools.call('bug') } catch (e) { return [e.code, e.message] }"
    )
    assert outcome.value[0] == "internal"
    assert "secret" not in outcome.value[1]


async def test_a_result_that_is_no_json_is_a_failure(runtime, run):
    outcome = await run("try { await openclaw.tools.call('raw') } catch (e) { return e.code }")
    assert outcome.value == "invalid_result"


async def test_a_result_beyond_the_bound_of_a_body_is_a_failure(runtime, run):
    outcome = await run(
        "try { await openclaw.tools.call('long', {size: 5000}) } catch (e) { return [e.code, e.message] }",
        max_body_value_bytes=4_000,
    )
    assert outcome.value[0] == "invalid_result"
    assert "ask for less" in outcome.value[1]


async def test_a_big_result_reaches_the_body_whole(runtime, run):
    outcome = await run("return (await openclaw.tools.call('long', {size: 5000000})).result.length")
    assert outcome.value == 5_000_000


async def test_a_big_argument_reaches_the_tool_whole(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run("await openclaw.tools.call('echo', 'é'.repeat(1000000)); return 1", tools)
    assert outcome.ok
    assert tools.calls == [("echo", "é" * 1_000_000)]


@pytest.mark.parametrize(
    "value",
    [
        "() => 1",
        "Symbol()",
        "Promise.resolve()",
        "(() => { const o = {}; o.o = o; return o })()",
        "NaN",
    ],
)
async def test_arguments_that_a_tool_cannot_be_given_are_refused(runtime, run, toolbox, value):
    tools = toolbox()
    outcome = await run(
        f"try {{ await openclaw.tools.call('echo', {{ x: {value} }}) }} catch (e) {{ return [e.code, e.message] }}",
        tools,
    )
    assert outcome.value[0] == "invalid_arguments"
    assert tools.calls == []


async def test_calls_beyond_the_bound_are_refused_and_can_be_caught(runtime, run, toolbox):
    tools = toolbox()
    outcome = await run(
        "for (let i = 0; i < 4; i++) try { await openclaw.tools.search('x') } catch (e) { return [i, e.code] }",
        tools,
        max_bridge_calls=3,
    )
    assert outcome.value == [3, "too_many_calls"]
    assert len(tools.calls) == 3


async def test_telemetry_counts_what_was_done(runtime, run):
    outcome = await run(
        "await openclaw.tools.search('a'); await openclaw.tools.search('b');"
        "await openclaw.tools.describe('c'); await openclaw.tools.call('echo')"
    )
    told = outcome.telemetry
    assert (told["searches"], told["describes"], told["calls"]) == (2, 1, 1)


async def test_the_clock_stands_still_while_a_person_is_asked(runtime, run, toolbox):
    tools = toolbox()
    task = asyncio.ensure_future(
        run("return (await openclaw.tools.call('gate')).result", tools, timeout_ms=3_000)
    )
    await tools.started.wait()
    tools.waiting(1)
    await asyncio.sleep(4)
    tools.waiting(0)
    tools.gate.set()
    assert (await task).value == "through"


async def test_the_clock_runs_while_another_call_works(runtime, run, toolbox):
    tools = toolbox()
    task = asyncio.ensure_future(
        run(
            "await Promise.all([openclaw.tools.call('gate'), openclaw.tools.call('hang')])",
            tools,
            timeout_ms=500,
        )
    )
    await tools.started.wait()
    tools.waiting(1)
    assert (await task).outcome == "timeout"


async def test_the_clock_runs_while_the_body_computes(runtime, run, toolbox):
    tools = toolbox()
    task = asyncio.ensure_future(
        run(
            "openclaw.tools.call('gate'); await openclaw.tools.search('x'); for (;;);",
            tools,
            timeout_ms=500,
        )
    )
    await tools.started.wait()
    tools.waiting(1)
    assert (await task).outcome == "timeout"


async def test_waits_for_a_person_add_up_to_the_bound(runtime, run, toolbox):
    tools = toolbox()
    task = asyncio.ensure_future(
        run("await openclaw.tools.call('gate')", tools, timeout_ms=300, max_wait_ms=300)
    )
    await tools.started.wait()
    tools.waiting(1)
    assert (await task).outcome == "timeout"
    assert tools.cancelled == ["gate"]


async def test_whole_numbers_that_javascript_cannot_hold_arrive_as_their_digits(runtime, run):
    outcome = await run(
        "const r = (await openclaw.tools.call('big')).result; return [r.id, r.list, r.small]"
    )
    assert outcome.value == ["1234567890123456789", ["-9007199254740993"], 9007199254740991]


async def test_no_further_call_begins_while_the_body_does_not_take_the_answers(
    runtime, run, toolbox
):
    tools = toolbox()
    outcome = await run(
        "const first = openclaw.tools.search('x');"
        "for (let i = 0; i < 100; i++) openclaw.tools.call('long', {size: 1000000});"
        "await first; for (;;);",
        tools,
        timeout_ms=2_000,
        max_parallel_calls=2,
    )
    assert outcome.outcome == "timeout"
    assert len(tools.calls) < 50
