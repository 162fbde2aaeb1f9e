"""What a hostile review found: each of these once went otherwise."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import select
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from toolsearch_runner_base import runner as base_runner
from toolsearch_runner_base._calls import OpenCalls
from toolsearch_runner_base._frames import Call, Done, ProtocolError, parse
from toolsearch_runner_base._probe import PROMISED, probe
from toolsearch_runner_base._session import Session
from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import LAYERS, Channel, Command, RefusedError, StartError
from toolsearch_runner_base.runtime import Identity

pytestmark = pytest.mark.asyncio(loop_scope="session")


# -- frames that keep the host's loop


@pytest.mark.parametrize("part", [b"[]", b"{}", b"1", b'""', b'"\\ud800"', b'{"a":{}}'])
async def test_a_line_of_too_many_parts_is_refused_before_it_is_decoded(part):
    with pytest.raises(ProtocolError, match="too many parts"):
        parse(b'["d","ok",[%b],[],0,0]' % b",".join([part] * 600_000))


async def test_text_that_looks_like_many_parts_is_one():
    text = b'[{,\\",' * 300_000
    match parse(b'["c",1,"call",["x","%b"]]' % text):
        case Call(arguments=["x", str(kept)]):
            assert len(kept) == 5 * 300_000
        case other:
            pytest.fail(repr(other)[:200])


async def test_quotes_that_are_not_closed_are_read_once():
    with pytest.raises(ProtocolError):
        parse(b'["d","ok","' + b'\\"' * 2_000_000 + b"," * 600_000)


async def test_what_a_child_calls_its_error_is_bounded():
    error = b'{"name":"%b","message":"%b","line":%b,"call":-1,"code":""}'
    line = error % (b"n" * 100_000, b"m" * 100_000, b"9" * 4_000)
    match parse(b'["d","exception",%b,[],0,0]' % line):
        case Done(thrown=thrown):
            assert (len(thrown.name), len(thrown.message), thrown.line) == (8_000, 8_000, None)


async def test_arguments_of_too_many_parts_are_refused_in_words(fresh, toolbox, limits_of):
    tools = toolbox()
    outcome = await fresh().run(
        "const many = JSON.parse('[' + '[],'.repeat(600000) + '0]');"
        "try { await openclaw.tools.call('echo', many) } catch (e) { return [e.code, e.message] }",
        tools,
        limits_of(memory_mb=256),
    )
    assert outcome.value == ["invalid_arguments", "the arguments are too large"]
    assert tools.calls == []


# -- code that the parser takes and nobody can walk


@pytest.mark.parametrize("code", ["return x" + ".a" * 100_000, "f" + "()" * 60_000])
async def test_code_that_is_too_deep_is_an_error_of_the_code(fresh, toolbox, limits_of, code):
    outcome = await fresh().run(code, toolbox(), limits_of())
    assert outcome.outcome == "syntax"
    assert "call stack" in outcome.error.message


async def test_what_long_code_throws_beside_the_body_is_an_error(fresh, toolbox, limits_of):
    long = "/*" + "x" * 100_000 + "*/"
    outcome = await fresh().run(
        f"{long} }}, (() => {{ throw new RangeError('beside') }})(), async function () {{",
        toolbox(),
        limits_of(),
    )
    assert outcome.outcome == "exception", outcome
    assert (outcome.error.name, outcome.error.message) == ("RangeError", "beside")


# -- code that is long


@pytest.mark.parametrize("part", ["()=>1,", "{a:1},", "`${1}`,", "1,", "f(),"])
async def test_the_tree_of_long_code_is_not_the_bodys_memory(fresh, toolbox, limits_of, part):
    """A quarter of a megabyte of functions took 180 MB before anything ran."""
    code = "const f = () => 1; return [" + part * (250_000 // len(part)) + "].length"
    outcome = await fresh().run(code, toolbox(), limits_of(memory_mb=64))
    assert outcome.value == 250_000 // len(part)


async def test_an_error_in_long_code_still_says_what_failed(fresh, toolbox, limits_of):
    long = "/*" + "x" * 100_000 + "*/"
    runner = fresh()
    failed = await runner.run(f"{long} await openclaw.tools.call('fail')", toolbox(), limits_of())
    assert failed.error.failure.tool == "fail"
    assert "call 1 failed" in failed.error.message
    wrong = await runner.run(f"{long} const a = ;", toolbox(), limits_of())
    assert (wrong.outcome, wrong.error.name) == ("syntax", "SyntaxError")
    imported = await runner.run(f"{long} await import('fs')", toolbox(), limits_of())
    assert imported.error.message == "import() is not available"
    closed = await runner.run(f"{long} }}); (function () {{", toolbox(), limits_of())
    assert closed.value is None


# -- answers


async def test_a_call_is_not_open_any_more_when_its_answer_goes_out(toolbox, limits_of):
    """Some event loops read what the child says to it before they tell that the task has ended."""
    open_then: list[object] = []
    answered = asyncio.Event()

    def reply(_: bytes) -> None:
        open_then.append(calls.open)
        answered.set()

    calls = OpenCalls(toolbox(), limits_of(), reply, lambda: None, lambda: False)
    for number, (operation, arguments) in enumerate(
        [("search", ["x"]), ("call", ["fail"]), ("call", ["bug"]), ("call", ["raw"])], 1
    ):
        calls.make(Call(number, operation, arguments))
        assert len(calls.open) == 1
        await answered.wait()
        answered.clear()
    assert open_then == [(), (), (), ()]
    calls.make(Call(5, "call", ["hang"]))
    assert [call.number for call in calls.open] == [5]
    await calls.close()


@pytest.fixture
def late(toolbox):
    """A bridge that answers after a while, or keeps the loop."""

    class Late(toolbox):
        async def _result(self, id, arguments):
            await asyncio.sleep(0.3)
            if id == "busy":
                time.sleep(1.2)  # noqa: ASYNC251
            return 1

    return Late()


async def test_logs_are_kept_at_a_deadline_that_was_told_long_before_it_was_heard(
    fresh, late, limits_of
):
    outcome = await fresh().run(
        "const answer = openclaw.tools.call('late'); await openclaw.tools.search('x');"
        "const from = Date.now(); while (Date.now() - from < 1500);"
        "console.log('first'); await answer; console.log('kept'); for (;;);",
        late,
        limits_of(timeout_ms=3000),
    )
    assert outcome.outcome == "timeout"
    assert [line.text for line in outcome.logs] == ["first", "kept"]


async def test_a_deadline_that_passes_while_the_loop_is_kept_is_a_deadline(fresh, late, limits_of):
    outcome = await fresh().run(
        "const busy = openclaw.tools.call('busy'); await openclaw.tools.search('x');"
        "console.log('kept'); for (;;);",
        late,
        limits_of(timeout_ms=1000),
    )
    assert outcome.outcome == "timeout"
    assert [line.text for line in outcome.logs] == ["kept"]


# -- children and processes that are lost


@pytest.fixture
def child(engine, toolbox, limits_of):
    """Runs a script in place of the child, and hands out what is needed to disturb it."""

    async def begin(script: str, layers: tuple[str, ...] = LAYERS, **bounds: int):
        spawner, tools = SupervisedSpawner(), toolbox()
        found = await engine.kind.describe(Identity.of(engine.path), spawner)
        channel = Channel(1 << 20, 1 << 20)
        process = await spawner.start(found.command(script, layers=layers), channel)
        session = Session(process, channel, tools, limits_of(**bounds))
        return spawner, process, tools, asyncio.ensure_future(session.run("return 1"))

    return begin


async def test_a_body_whose_supervisor_died_ends_although_its_child_lives_on(child):
    say = 'process.getBuiltinModule(\'fs\').writeSync(1, \'["c",1,"call",["hang"]]\\n\'); for (;;);'
    without_death = tuple(layer for layer in LAYERS if layer != "death")
    spawner, process, tools, running = await child(say, without_death)
    watched = os.pidfd_open(process.pid)
    try:
        await tools.started.wait()
        os.kill(spawner._supervisor.pid, signal.SIGKILL)
        async with asyncio.timeout(60):
            outcome = await running
        assert outcome.outcome == "crashed"
        assert tools.cancelled == ["hang"]
    finally:
        signal.pidfd_send_signal(watched, signal.SIGKILL)
        os.close(watched)
        await spawner.aclose()


class Dozing(SupervisedSpawner):
    """Looks at nothing between the start of a child and the news of its end."""

    def _event(self, event):
        super()._event(event)
        if event["event"] == "started":
            assert select.select([self._control], [], [], 60)[0]


async def test_what_a_child_said_last_is_heard_although_its_end_is_known_first(engine):
    """Why `it ended without a word` was said of a runtime on a busy machine."""
    spawner = Dozing()
    try:
        found = await engine.kind.describe(Identity.of(engine.path), spawner)
    finally:
        await spawner.aclose()
    assert found.version > (0, 0, 0)


async def test_a_supervisor_that_takes_no_orders_is_given_up(engine, monkeypatch):
    from toolsearch_runner_base import _supervised

    monkeypatch.setattr(_supervised, "BLOCKED_SECONDS", 0.5)
    spawner = SupervisedSpawner()
    try:
        assert (await spawner.survey())["rlimits"] is True
        stuck = spawner._supervisor
        os.kill(stuck.pid, signal.SIGSTOP)
        for number in range(5_000):
            spawner.tell({"op": "end", "id": number, "grace_ms": 0})
        assert stuck.wait(60) == -signal.SIGKILL
        found = await engine.kind.describe(Identity.of(engine.path), spawner)
    finally:
        await spawner.aclose()
    assert found.version > (0, 0, 0)


@pytest.mark.parametrize(
    ("python", "cause"),
    [
        ("#!/bin/sh\necho 'No module named encodings' >&2; exit 1\n", "No module named encodings"),
        ("#!/nowhere/python\n", "No such file"),
        ("", "xec format error"),
    ],
)
async def test_a_supervisor_that_cannot_start_is_said_to_be_the_cause(
    engine, fresh, tmp_path, monkeypatch, python, cause
):
    monkeypatch.setattr("sys.executable", str(script(tmp_path / "python", python)))
    attestation = await fresh().probe()
    assert not attestation.available
    assert attestation.missing == ("supervisor",)
    assert cause in attestation.cure
    assert "needs the Python of this program" in attestation.cure
    assert "does not run as" not in attestation.cure


async def test_where_no_process_is_seen_the_limit_of_data_holds_and_it_is_said(
    fresh, monkeypatch, toolbox, limits_of
):
    from toolsearch_runner_base import _supervised
    from toolsearch_runner_base.supervisor._confine import UNSEEN, held_kb

    survey = SupervisedSpawner.survey

    async def unseen(spawner):
        return {**await survey(spawner), "memory": UNSEEN}

    monkeypatch.setattr(SupervisedSpawner, "survey", unseen)
    monkeypatch.setattr(_supervised.SupervisedProcess, "watch", lambda self, memory_mb: None)
    runner = fresh()
    attestation = await runner.probe()
    assert attestation.isolated
    assert attestation.missing == (f"memory: {UNSEEN}",)
    outcome = await runner.run(
        "const a = []; try { for (;;) a.push(new Uint8Array(1e7).fill(1)); } catch { return a.length; }",
        toolbox(),
        limits_of(),
    )
    assert outcome.value * 10 < 128 + 2 * 128
    assert held_kb("self") > 0
    assert held_kb(2**31) is None


async def test_a_supervisor_that_died_before_it_was_asked_is_a_failure_in_words():
    spawner = SupervisedSpawner()
    spawner._ensure()
    supervisor = spawner._supervisor
    supervisor.kill()
    supervisor.wait(60)
    try:
        with pytest.raises(StartError, match="ended"):
            await spawner.survey()
    finally:
        await spawner.aclose()


async def test_a_supervisor_that_dies_while_a_start_is_prepared_is_a_failure_in_words(
    engine, monkeypatch
):
    spawner = SupervisedSpawner()
    found = await engine.kind.describe(Identity.of(engine.path), spawner)
    loop = asyncio.get_running_loop()
    connect = loop.create_unix_connection

    async def meanwhile(*given, **named):
        try:
            return await connect(*given, **named)
        finally:
            spawner._lose()

    monkeypatch.setattr(loop, "create_unix_connection", meanwhile)
    try:
        async with asyncio.timeout(30):
            with pytest.raises(StartError, match="ended"):
                await spawner.start(found.command("", layers=()), Channel(100, 100))
    finally:
        await spawner.aclose()


async def test_without_descriptors_left_a_start_fails_in_words(monkeypatch):
    from toolsearch_runner_base import _supervised

    def none_left() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(_supervised.socket, "socketpair", none_left)
    with pytest.raises(StartError, match="Too many open files"):
        await SupervisedSpawner().survey()


# -- probes


def script(path, text: str):
    path.write_text(text)
    path.chmod(0o755)
    path.parent.chmod(0o755)
    return path


async def test_a_layer_is_not_given_up_for_one_start_that_failed(engine):
    failures = 1

    class Stumbling(SupervisedSpawner):
        async def start(self, command, channel):
            nonlocal failures
            if command.layers and failures:
                failures -= 1
                raise StartError("the machine was busy")
            return await super().start(command, channel)

    spawner = Stumbling()
    try:
        found = await engine.kind.describe(Identity.of(engine.path), spawner)
        probed = await probe(found, spawner, allow_weak=False)
    finally:
        await spawner.aclose()
    assert failures == 0
    assert probed.sure
    assert probed.attestation.missing == ()
    assert {"landlock", "seccomp"} <= set(probed.layers)


async def test_a_layer_under_which_the_system_starts_nothing_is_given_up_and_told(
    fresh, monkeypatch
):
    async def refuse(self, command, channel):
        if "landlock" in command.layers:
            raise RefusedError("not under Landlock")
        return await start(self, command, channel)

    start = SupervisedSpawner.start
    monkeypatch.setattr(SupervisedSpawner, "start", refuse)
    attestation = await fresh().probe()
    assert "landlock" not in attestation.layers
    assert "seccomp" in attestation.layers
    assert any("not under Landlock" in reason for reason in attestation.missing)


@pytest.mark.parametrize("program", ["/nowhere/program", "/etc/passwd"])
async def test_a_program_that_cannot_be_started_is_refused_and_not_busy(program):
    spawner = SupervisedSpawner()
    try:
        with pytest.raises(RefusedError):
            await spawner.start(Command(program, ("x",)), Channel(100, 100))
    finally:
        await spawner.aclose()


async def test_a_start_without_a_descriptor_left_is_no_refusal():
    spawner = SupervisedSpawner()
    try:
        await spawner.survey()
        few = Path(f"/proc/{spawner._supervisor.pid}/fd")
        resource.prlimit(
            spawner._supervisor.pid, resource.RLIMIT_NOFILE, (len(listed(few)) + 1,) * 2
        )
        with pytest.raises(StartError, match="open files") as busy:
            await spawner.start(Command("/bin/true", ("true",)), Channel(100, 100))
        assert not isinstance(busy.value, RefusedError)
    finally:
        await spawner.aclose()


def listed(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_child_that_an_older_probe_started_is_not_used(fresh, toolbox, limits_of):
    runner = fresh(pool=1)
    await runner.probe()
    async with asyncio.timeout(60):
        while not runner._pool._ready:
            await asyncio.sleep(0.01)
    runner._found = replace(runner._found)
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert (outcome.value, outcome.telemetry["pooled"]) == (1, False)


async def test_a_child_that_starts_while_a_probe_ends_is_started_anew(fresh, monkeypatch):
    runner = fresh()
    await runner.probe()
    start, older = SupervisedSpawner.start, []

    async def meanwhile(self, command, channel):
        process = await start(self, command, channel)
        if not older:
            older.append(process)
            runner._found = replace(runner._found)
        return process

    monkeypatch.setattr(SupervisedSpawner, "start", meanwhile)
    ready = await runner._start(128)
    assert ready.fit
    assert ready.process is not older[0]
    async with asyncio.timeout(60):
        await older[0].exited
    ready.process.end()
    await ready.process.exited


async def test_a_probe_that_failed_is_made_again(fresh, monkeypatch):
    runner = fresh()
    start = SupervisedSpawner.start
    busy = True

    async def stumble(self, command, channel):
        if busy and command.layers:
            raise StartError("the machine was busy")
        return await start(self, command, channel)

    monkeypatch.setattr(SupervisedSpawner, "start", stumble)
    monkeypatch.setattr(base_runner, "AGAIN_SECONDS", 0)
    first = await runner.probe()
    assert not first.available
    assert any("busy" in reason for reason in first.missing)
    assert "tried again" in first.cure
    busy = False
    second = await runner.probe()
    assert second.isolated
    assert second.missing == ()
    assert await runner.probe() is second


async def test_an_unavailable_runner_is_not_probed_for_every_run(fresh, monkeypatch):
    async def busy(self, command, channel):
        if command.layers:
            raise StartError("the machine was busy")
        return await start(self, command, channel)

    start = SupervisedSpawner.start
    monkeypatch.setattr(SupervisedSpawner, "start", busy)
    runner = fresh()
    assert await runner.probe() is await runner.probe()


async def test_a_runtime_that_is_replaced_behind_a_script_is_probed_again(engine, fresh, tmp_path):
    target = tmp_path / "real"
    target.symlink_to(engine.path)
    chooser = script(tmp_path / "chooser", f'#!/bin/sh\nexec "{target}" "$@"\n')
    runner = fresh(str(chooser))
    first = await runner.probe()
    found = runner._found
    assert await runner.probe() is first
    gone = Identity(found.runtime.identity.path, 0, 0, 0, 0)
    found.runtime = engine.kind(gone, found.runtime.version, found.runtime.files)
    second = await runner.probe()
    assert second is not first
    assert second.isolated


async def test_a_child_of_another_version_than_the_probed_one_is_not_used(
    engine, fresh, toolbox, limits_of, caplog
):
    runner = fresh()
    await runner.probe()
    found = runner._found.runtime
    other = (found.version[0], 999, 0)
    runner._found.runtime = engine.kind(found.identity, other, found.files)
    outcome = await runner.run("return 1", toolbox(), limits_of())
    assert outcome.outcome == "unavailable"
    assert f"another {engine.kind.title}" in caplog.text
    assert engine.path not in outcome.error.message


@pytest.mark.parametrize(
    "answer",
    [
        "hello",
        "[]",
        '{"found":1}',
        '{"version":"20.0.0"}',
        "NaN",
        "\\377",
        '{"found":{"fs.read":1}}',
    ],
)
async def test_a_program_that_answers_the_probe_with_something_else_is_not_attested(
    fresh, tmp_path, answer
):
    fake = tmp_path / "fake"
    described = json.dumps({"version": "24.0.0", "program": str(fake), "files": []})
    script(
        fake,
        f"#!/bin/sh\ncase \"$*\" in *v8-*) printf '{answer}\\n{answer}\\n';; "
        f"*) echo '{described}';; esac\n",
    )
    attestation = await fresh(str(fake)).probe()
    assert not attestation.isolated
    assert not attestation.available


async def test_every_promise_can_be_found_broken(engine):
    """Without any layer each thing that is tried succeeds, or the trial proves nothing."""
    from toolsearch_runner_base import _probe

    spawner = SupervisedSpawner()
    try:
        described = await engine.kind.describe(Identity.of(engine.path), spawner)
        found = await _probe._attempt(described, spawner, (), restricted=False)
    finally:
        await spawner.aclose()
    refused = {name for name in PROMISED if found[name] != "open"}
    assert refused <= {"environment", "sqlite"}  # emptied by us; absent from some versions
