from __future__ import annotations

import json

import pytest

from toolsearch_hookspecs import Attestation, CodeError, CodeOutcome, ErrorCode
from toolsearch_mode_code._mode import CodeMode


async def answer(run, code):
    return await CodeMode().handle(run, "tool_search_code", {"code": code}, "call-1")


async def test_the_three_line_example_finds_describes_and_calls(run):
    result = await answer(
        run,
        """
        const hits = await openclaw.tools.search("create a GitHub issue");
        const tool = await openclaw.tools.describe(hits[0].id);
        return await openclaw.tools.call(tool.id, { title: "Crash" });
        """,
    )
    assert result.error is None
    assert result.value["ok"] is True
    assert result.value["value"] == {
        "tool": {"id": "openclaw:core:create_issue"},
        "result": {"title": "Crash"},
    }
    telemetry = result.value["telemetry"]
    assert (telemetry["searches"], telemetry["describes"], telemetry["calls"]) == (1, 1, 1)


async def test_the_result_is_json_with_its_logs(run):
    result = await answer(run, 'console.log("a"); console.warn({b: 1}); return null')
    assert json.loads(result.text)["logs"] == [
        {"level": "log", "text": "a"},
        {"level": "warn", "text": '{"b":1}'},
    ]


async def test_an_error_in_the_code_is_an_error_result_with_name_message_and_line(run):
    result = await answer(run, "const a = 1;\n\nthrow new RangeError('too far');")
    assert result.error.code == ErrorCode.CODE_FAILED
    assert result.value["ok"] is False
    assert result.value["outcome"] == "exception"
    assert result.value["error"] == {"name": "RangeError", "message": "too far", "line": 3}


async def test_a_denial_that_is_not_caught_says_who_blocked_it(run):
    result = await answer(run, 'return await openclaw.tools.call("openclaw:core:blocked")')
    error = result.value["error"]
    assert (error["code"], error["by"]) == ("blocked", "policy-rules")
    assert error["tool"] == "openclaw:core:blocked"
    assert result.error.by == "policy-rules"


async def test_a_denial_can_be_caught_in_the_code(run):
    result = await answer(
        run,
        'try { await openclaw.tools.call("openclaw:core:blocked") }'
        " catch (e) { return [e.code, e.tool, e.retryable] }",
    )
    assert result.value["value"] == ["blocked", "openclaw:core:blocked", False]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("const x: string = 'a'; return x", "plain JavaScript"),
        ("function f(a: number): number { return a }\nreturn f(1)", "plain JavaScript"),
        ("interface A { b: string }\nreturn 1", "plain JavaScript"),
        ("const fs = require('fs'); return 1", "no modules"),
        ("import fs from 'fs';\nreturn 1", "no modules"),
        ("const fs = await import('fs'); return 1", "no modules"),
        ("export default 1", "no modules"),
        ("return await fetch('https://example.com')", "no network"),
        ("await new Promise((done) => setTimeout(done, 10))", "no timers"),
        ("return process.env", "no modules"),
        ("return document.title", "no browser"),
        ("return await search('x')", "openclaw.tools.search"),
        ("return await openclaw.search('x')", "openclaw.tools.search"),
        ("console.info('x')", "console.log"),
        ("Here is the code:\n```js\nreturn 1\n```", "code alone"),
    ],
)
async def test_usual_mistakes_get_a_hint(run, code: str, says: str):
    result = await answer(run, code)
    assert result.error is not None
    assert says in result.value["error"]["hint"]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("return () => 1", "returned a function"),
        ("async () => { return await openclaw.tools.search('x') }", "only defines a function"),
        ("async function main() { return 1 }", "only defines a function"),
        ("await openclaw.tools.search('x')", "returned nothing"),
        ("return { a: openclaw.tools.search('x') }", "await it"),
    ],
)
async def test_a_value_that_is_hardly_meant_gets_a_note(run, code: str, says: str):
    result = await answer(run, code)
    assert result.error is None
    assert any(says in note for note in result.value["notes"])


async def test_a_returned_promise_is_awaited(run):
    result = await answer(run, "return openclaw.tools.describe('x')")
    assert result.value["value"]["id"] == "x"
    assert "notes" not in result.value


async def test_two_megabytes_of_result_say_what_to_do_instead(run):
    result = await answer(run, "return 'x'.repeat(2_000_000)")
    assert result.value["outcome"] == "result_too_large"
    assert "Return only what is needed" in result.value["error"]["message"]


async def test_five_megabytes_of_code_are_refused_without_running_them(run):
    result = await answer(run, "//" + "x" * 5_000_000)
    assert result.value["outcome"] == "script_too_large"
    assert result.error.executed is False


async def test_blank_code_is_an_error_result(run):
    result = await answer(run, "   ")
    assert result.error.code == ErrorCode.INVALID_ARGUMENTS


async def test_a_call_that_was_made_before_the_error_is_told(run):
    result = await answer(run, "await openclaw.tools.call('openclaw:core:create_issue'); null.x")
    assert result.error.executed is True


class Broken:
    """A runner that worked when the run was planned, and does no more."""

    name = "broken"

    async def probe(self) -> Attestation:
        return Attestation(available=True, isolated=True, runtime="none")

    async def run(self, code, bridge, limits) -> CodeOutcome:
        error = CodeError(name="Unavailable", message="the runtime is gone")
        return CodeOutcome(outcome="unavailable", error=error)

    async def aclose(self) -> None: ...


@pytest.mark.parametrize("runner", [Broken(), None])
async def test_a_runner_that_fails_after_planning_says_how_to_go_on(run_with, runner):
    result = await answer(run_with(runner), "return 1")
    assert result.error.code == ErrorCode.UNAVAILABLE
    assert result.error.retryable is True
    assert "go on with the tools that you see" in result.text
