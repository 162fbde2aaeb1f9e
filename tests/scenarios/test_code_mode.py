"""Reports from users of other software about code that calls tools, each as its symptom."""

import asyncio

import pytest

from toolsearch_hookspecs import ToolError, ToolResult, hookimpl

from ..conftest import ListSource

CODE = {"tools": {"toolSearch": {"mode": "code", "strict": True, "codeTimeoutMs": 5_000}}}


async def ran(started, source, code, config=CODE, **more):
    run = await (await started(config, source, **more)).plan()
    return await run.handle("tool_search_code", {"code": code})


@pytest.mark.parametrize(
    "code",
    [
        "openclaw.tools.call('work', {}); return 1",
        "return [1, openclaw.tools.call('work', {})].length - 1",
        "Promise.resolve().then(() => 0).then(() => openclaw.tools.call('work', {})); return 1",
    ],
)
async def test_openclaw_79823_calls_without_await_are_settled_before_the_result(started, code):
    ended = []

    async def work():
        await asyncio.sleep(0)
        ended.append(1)

    source = ListSource("s", {"work": work})
    result = await ran(started, source, code)
    assert result.value["ok"], result.value
    at_the_end = len(source.calls)
    assert len(ended) == at_the_end
    await asyncio.sleep(0.05)
    assert len(source.calls) == at_the_end


async def test_fastmcp_4702_a_failed_call_is_caught_with_code_message_tool_and_retryable(started):
    def fails():
        raise ToolError("no paper", retryable=True)

    code = """
    const seen = [];
    for (const name of ["fails", "nothing_like_it"])
        try { await openclaw.tools.call(name, {}) }
        catch (e) { seen.push([e.code, e.message, e.tool ?? null, e.retryable]) }
    return seen
    """
    result = await ran(started, ListSource("s", {"fails": fails}), code)
    first, second = result.value["value"]
    assert first == ["tool_error", "no paper", "plugin:s:fails", True]
    assert (second[0], second[3]) == ("unknown_tool", False)
    assert "nothing_like_it" in second[1]


async def test_cloudflare_1203_the_body_gets_the_value_and_not_an_envelope_of_text(started):
    source = ListSource("s", {"get": lambda: ToolResult(value={"rows": [1, 2]})})
    code = "const {result} = await openclaw.tools.call('get', {}); return result.rows[1]"
    assert (await ran(started, source, code)).value["value"] == 2


async def test_cloudflare_1760_typescript_in_a_body_is_said_to_be_none(started):
    result = await ran(started, ListSource("s", {"t": lambda: 1}), "const n: number = 1; return n")
    assert result.value["ok"] is False
    assert "JavaScript" in result.text


async def test_pydantic_harness_389_a_tool_that_hangs_is_ended_and_reported_as_that_tool(started):
    ended = asyncio.Event()

    async def hangs():
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    config = {"tools": {"toolSearch": CODE["tools"]["toolSearch"] | {"codeTimeoutMs": 1_000}}}
    source = ListSource("s", {"hangs": hangs})
    result = await ran(started, source, "await openclaw.tools.call('hangs', {})", config)
    assert result.is_error
    assert "hangs" in result.text
    await asyncio.wait_for(ended.wait(), 20)


async def test_openclaw_130182_a_child_that_dies_cancels_its_calls_and_says_what_was_lost(started):
    reached, ended = asyncio.Event(), asyncio.Event()

    async def slow():
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    code = """
    const open = openclaw.tools.call('slow', {});
    const eat = [];
    while (true) eat.push(new Array(1e6).fill('x' + eat.length));
    """
    result = await ran(started, ListSource("s", {"slow": slow}), code)
    assert result.value["ok"] is False
    assert not reached.is_set() or ended.is_set()


HOSTILE = [
    "process.exit(0)",
    "while (true) {}",
    "return require('fs').readFileSync('/etc/passwd', 'utf8')",
    "return await import('node:child_process')",
    "return openclaw.constructor.constructor('return process')().env",
    "throw {toString() { throw 1 }}",
    "Promise.reject(1); await new Promise(() => {})",
    "return 'x'.repeat(2 ** 28)",
]


@pytest.mark.parametrize("code", HOSTILE)
async def test_mcp_use_1718_a_hostile_body_is_contained_and_other_runs_do_not_notice(started, code):
    source = ListSource("s", {"work": lambda: "fine"})
    config = {"tools": {"toolSearch": CODE["tools"]["toolSearch"] | {"codeTimeoutMs": 1_000}}}
    host = await started(config, source)
    bad, good = await host.plan(), await host.plan()
    hostile = asyncio.ensure_future(bad.handle("tool_search_code", {"code": code}))
    body = "return (await openclaw.tools.call('work', {})).result"
    beside = await good.handle("tool_search_code", {"code": body})
    assert beside.value["value"] == "fine"
    result = await hostile
    assert "root:" not in result.text
    assert len(result.text) < 300_000
    again = await bad.handle("tool_search_code", {"code": body})
    assert again.value["value"] == "fine"


async def test_openclaw_119253_a_call_in_code_passes_the_hooks_once(started):
    seen = []

    class Sees:
        @hookimpl(inline=True)
        def toolsearch_before_tool_call(self, call):
            seen.append((call.via, call.tool.id, dict(call.arguments)))

    source = ListSource("s", {"echo": lambda n: n})
    code = "return Promise.all([1, 2, 3].map(n => openclaw.tools.call('echo', {n})))"
    await ran(started, source, code, plugins=[("sees", Sees())])
    assert sorted(seen, key=str) == [("bridge", "plugin:s:echo", {"n": n}) for n in (1, 2, 3)]
