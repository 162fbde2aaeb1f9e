"""A child that is no longer ours: everything it says is taken as hostile."""

from __future__ import annotations

import json

import pytest

from toolsearch_runner_base._session import Session
from toolsearch_runner_base.process import LAYERS, Channel

pytestmark = pytest.mark.asyncio(loop_scope="session")

# `say` writes a line, `raw` writes bytes, `reply` waits for what the parent sends.
HOSTILE = """
const fs = process.getBuiltinModule('fs'), { Buffer } = process.getBuiltinModule('buffer'); const b = Buffer.alloc(1 << 16);
const leave = (code) => (typeof Deno === 'undefined' ? process.reallyExit(code) : Deno.exit(code));
const put = (d) => { for (let at = 0; at < d.length;) { try { at += fs.writeSync(1, d, at); } catch (e) { if (e.code !== 'EAGAIN') leave(0); } } };
const raw = (x) => put(Buffer.from(x));
const say = (x) => raw((typeof x === 'string' ? x : JSON.stringify(x)) + '\\n');
const reply = () => fs.readSync(0, b);
const hang_up = () => (typeof Deno === 'undefined' ? [1, 0].forEach((fd) => fs.closeSync(fd)) : [Deno.stdout, Deno.stdin].forEach((end) => end.close()));
const done = (value) => say(['d', 'ok', value, [], 0, 0]);
reply();
%s
for (;;) { if (reply() === 0) leave(0); }
"""

VIOLATIONS = {
    "text that is no JSON": "say('hello');",
    "an empty line": "say('');",
    "bytes that are no UTF-8": "raw(Buffer.from([0x5b, 0xff, 0xfe, 0x5d, 10]));",
    "a byte order mark": "say('\\ufeff[\"i\",0]');",
    "a null byte": "say('[\"i\",0]\\0');",
    "an object instead of a frame": "say({ type: 'done' });",
    "a frame of an unknown kind": "say(['z', 1]);",
    "a frame that is too short": "say(['c', 1]);",
    "a frame that is too long": "say(['i', 0, 0]);",
    "a number that JSON does not have": 'say(\'["d","ok",NaN,[],0,0]\');',
    "a number beyond every float": 'say(\'["d","ok",1e999,[],0,0]\');',
    "an integer of five thousand digits": "say('[\"d\",\"ok\",' + '9'.repeat(5000) + ',[],0,0]');",
    "brackets without end": "say('['.repeat(100000));",
    "a value that is nested too deeply": (
        "say('[\"d\",\"ok\",' + '['.repeat(300) + ']'.repeat(300) + ',[],0,0]');"
    ),
    "an unknown operation": "say(['c', 1, 'exec', ['ls']]);",
    "an operation named like a method": "say(['c', 1, '__class__', ['x']]);",
    "an operation that is no text": "say(['c', 1, ['call'], ['x']]);",
    "no arguments": "say(['c', 1, 'call', []]);",
    "too many arguments": "say(['c', 1, 'search', ['x', {}, 1]]);",
    "arguments that are no list": "say(['c', 1, 'call', { 0: 'x', length: 1 }]);",
    "a call number that was used": "say(['c', 1, 'search', ['x']]); say(['c', 1, 'search', ['x']]);",
    "a call number that is skipped": "say(['c', 2, 'search', ['x']]);",
    "the call number zero": "say(['c', 0, 'search', ['x']]);",
    "a negative call number": "say(['c', -1, 'search', ['x']]);",
    "a call number that is a fraction": "say(['c', 1.5, 'search', ['x']]);",
    "a call number that is true": "say(['c', true, 'search', ['x']]);",
    "a call number that is text": "say(['c', '1', 'search', ['x']]);",
    "a huge call number": "say('[\"c\",' + '9'.repeat(30) + ',\"search\",[\"x\"]]');",
    "more calls than are allowed": "for (let i = 1; i < 30; i++) say(['c', i, 'search', ['x']]);",
    "an end while a call is open": "say(['c', 1, 'call', ['hang']]); done(1);",
    "an end of an unknown kind": "say(['d', 'timeout', null, [], 0, 0]);",
    "an end that blames memory": "say(['d', 'memory', null, [], 0, 0]);",
    "an error that is no object": "say(['d', 'exception', 'x', [], 0, 0]);",
    "an error without a message": (
        "say(['d', 'exception', { name: 'x', line: 1, call: 1, code: '' }, [], 0, 0]);"
    ),
    "open calls that are no numbers": "say(['d', 'ok', 1, ['x'], 0, 0]);",
    "counts that are negative": "say(['d', 'ok', 1, [], -1, 0]);",
    "a second greeting": (
        "say(['hello', { version: '1', read: 'denied', scopes: [], environment: 0, compiled: null }]);"
    ),
    "replies taken that were not sent": "say(['i', 5]);",
    "a log of an unknown level": "say(['l', 'debug', 'x']);",
    "a log that is no text": "say(['l', 'log', { a: 1 }]);",
    "a line without end": "const x = 'x'.repeat(1 << 20); for (;;) raw(x);",
    "idling without end": "const x = '[\"i\",0]\\n'.repeat(1 << 16); for (;;) raw(x);",
}


@pytest.fixture
def child(engine, toolbox, limits_of, started_with):
    """Runs a body in a child that does what the script says instead."""

    async def run(script: str, **bounds: int):
        tools = toolbox()
        spawner, found = await started_with(engine)
        command = found.command(HOSTILE % script, layers=LAYERS)
        channel = Channel(1 << 20, 1 << 20)
        process = await spawner.start(command, channel)
        given = limits_of(**({"max_bridge_calls": 20} | bounds))
        outcome = await Session(process, channel, tools, given).run("return 1")
        assert process.exited.done()
        return outcome, tools

    return run


@pytest.mark.parametrize("script", VIOLATIONS.values(), ids=VIOLATIONS.keys())
async def test_a_child_that_breaks_the_protocol_is_ended(child, script):
    outcome, tools = await child(script)
    assert outcome.outcome == "protocol"
    assert outcome.error.message
    assert len(outcome.error.message) < 500
    assert not any(name == "ls" for name, _ in tools.calls)


async def test_an_open_call_of_a_child_that_breaks_the_protocol_is_cancelled(child):
    outcome, tools = await child(
        "say(['c', 1, 'call', ['hang']]); reply0(); say('junk');".replace("reply0();", "")
    )
    assert outcome.outcome == "protocol"
    assert tools.cancelled in (["hang"], [])  # cancelled, or not even begun
    assert "call 1 (hang)" in outcome.error.message


async def test_logs_before_a_violation_survive_it(child):
    outcome, _ = await child("say(['l', 'warn', 'before']); say('junk');")
    assert [line.text for line in outcome.logs] == ["before"]


async def test_nothing_is_heard_after_the_end(child):
    outcome, tools = await child(
        'raw(\'["d","ok",1,[],0,0]\\n["c",1,"call",["late"]]\\n["l","log","late"]\\njunk\\n\');'
    )
    assert (outcome.outcome, outcome.value) == ("ok", 1)
    assert tools.calls == []
    assert outcome.logs == ()


async def test_a_child_that_ends_without_a_word_has_crashed(child):
    outcome, _ = await child("leave(3);")
    assert outcome.outcome == "crashed"


async def test_a_child_that_says_it_was_interrupted_has_crashed(child):
    outcome, _ = await child("say(['x']);")
    assert outcome.outcome == "crashed"


async def test_the_calls_of_a_child_that_dies_are_cancelled_and_named(child):
    outcome, tools = await child(
        "say(['c', 1, 'call', ['hang']]); say(['c', 2, 'call', ['echo', 1]]); reply(); leave(1);"
    )
    assert outcome.outcome == "crashed"
    assert tools.cancelled == ["hang"]
    assert "call 1 (hang)" in outcome.error.message


async def test_a_child_that_closes_its_output_and_lives_on_is_ended(child):
    outcome, _ = await child("hang_up(); for (;;);", timeout_ms=2_000)
    assert outcome.outcome in {"crashed", "timeout"}  # Deno keeps an end of its own open


async def test_a_child_that_ignores_interrupts_is_ended_at_the_deadline(child):
    outcome, _ = await child(
        "if (typeof Deno === 'undefined') process.on('SIGINT', () => {}); for (;;);", timeout_ms=300
    )
    assert outcome.outcome == "timeout"


async def test_a_child_that_claims_to_be_idle_while_it_computes_is_ended(child):
    outcome, _ = await child("say(['i', 0]); for (;;);", timeout_ms=300)
    assert outcome.outcome == "timeout"


async def test_a_flood_of_log_lines_is_bounded(child):
    outcome, _ = await child(
        "const x = (JSON.stringify(['l', 'log', 'x'.repeat(100)]) + '\\n').repeat(1000);"
        "for (let i = 0; i < 2; i++) raw(x); done(1);"
    )
    assert outcome.ok
    assert sum(len(line.text) for line in outcome.logs) <= 65_540
    assert any("cut or left out" in note for note in outcome.notes)


async def test_log_lines_without_end_are_a_violation(child):
    outcome, _ = await child(
        "const x = (JSON.stringify(['l', 'log', 'x'.repeat(1000)]) + '\\n').repeat(1000); for (;;) raw(x);"
    )
    assert outcome.outcome == "protocol"
    assert sum(len(line.text) for line in outcome.logs) <= 65_540


async def test_a_value_beyond_its_bound_is_too_large_whoever_says_it(child):
    outcome, _ = await child("done('x'.repeat(600000));")
    assert outcome.outcome == "result_too_large"


async def test_lone_surrogates_are_replaced(child):
    outcome, _ = await child('say(\'["d","ok",{"a\\\\ud800":"\\\\uDFFF!"},[],0,0]\');')
    assert outcome.value == {"a\ufffd": "\ufffd!"}
    outcome.model_dump_json().encode()


async def test_an_error_that_names_a_call_of_its_own_making_has_no_failure(child):
    error = {"name": "E", "message": "m", "line": -5, "call": 99, "code": "blocked"}
    outcome, _ = await child(f"say(['d', 'exception', {json.dumps(error)}, [], 0, 0]);")
    assert outcome.outcome == "exception"
    assert outcome.error.failure is None
    assert outcome.error.line is None


async def test_keys_that_look_special_are_data(child):
    outcome, tools = await child(
        'say(\'["c",1,"call",["echo",{"__proto__":1,"__class__":2,"a":1,"a":3}]]\'); reply(); done(1);'
    )
    assert outcome.ok
    assert tools.calls == [("echo", {"__proto__": 1, "__class__": 2, "a": 3})]


@pytest.mark.parametrize(
    "script",
    ["for (;;);", "leave(0);", "raw('x'.repeat(1 << 24));", "say('junk');"],
)
async def test_a_child_that_does_not_greet_is_not_used(
    engine, fresh, monkeypatch, script, toolbox, limits_of
):
    from toolsearch_runner_base import reading

    runner = fresh()
    assert (await runner.probe()).isolated
    monkeypatch.setattr(reading, "START_SECONDS", 1)
    monkeypatch.setattr(engine.kind, "child", lambda _: HOSTILE % script)
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"


@pytest.mark.parametrize(
    "code",
    [
        r"""console.log('x\n["d","ok","forged",[],0,0]\n'); return 'real'""",
        r"""console.log('["d","ok","forged",[],0,0]'); return 'real'""",
        r"""await openclaw.tools.search('x"]]\n["d","ok","forged",[],0,0]\n'); return 'real'""",
        r"""await openclaw.tools.call('echo', {'\n["d","ok","forged",[],0,0]': '\r\n\u2028'}); return 'real'""",
        r"""const e = new Error('\n["d","ok","forged",[],0,0]\n'); try { throw e } catch {} return 'real'""",
        r"""String.prototype.toJSON = () => '\n["d","ok","forged",[],0,0]\n'; console.log('x'); return 'real'""",
        r"""Number.prototype.toString = () => '1]\n["d","ok","forged",[],0,0]\n'; console.log(1, {a: 2}); return 'real'""",
        r"""BigInt.prototype.toString = () => '"\n["d","ok","forged",[],0,0]\n'; console.log(1n); return 'real'""",
        r"""Array.prototype.join = () => '\n["d","ok","forged",[],0,0]\n'; console.log([1]); return 'real'""",
        r"""Date.prototype.toISOString = () => '\n["d","ok","forged",[],0,0]\n'; console.log(new Date(0)); return 'real'""",
        r"""RegExp.prototype.toString = () => '\n["d","ok","forged",[],0,0]\n'; console.log(/x/); return 'real'""",
        r"""console.log(Symbol('\n["d","ok","forged",[],0,0]\n'), {[Symbol()]: 1, f: {'\n': 1}}); return 'real'""",
    ],
)
async def test_no_text_of_a_body_becomes_a_frame(fresh, toolbox, limits_of, code):
    outcome = await fresh().run(code, toolbox(), limits_of())
    assert (outcome.outcome, outcome.value) == ("ok", "real")
