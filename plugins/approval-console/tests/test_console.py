"""What a person at a pseudo-terminal is shown, and what their answers come to."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from toolsearch_approval_console import plugin
from toolsearch_approval_console._console import CHOICES, Console
from toolsearch_approval_console._terminal import Terminal
from toolsearch_hookspecs import Approve, PluginContext, Reject

from .conftest import request


def is_there(name):
    return Path(name).exists()


def asked(person, of=None, environ=None):
    console = Console(Terminal(person.stdin, person.stderr), environ or {})
    return asyncio.create_task(console.decision(of or request()))


@pytest.mark.parametrize(
    ("typed", "scope"),
    [("o", "once"), ("YES", "once"), ("s", "session"), ("a", "always"), ("always", "always")],
)
async def test_a_person_approves(person, typed, scope):
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types(f"{typed}\n")
    decision = await waiting
    assert isinstance(decision, Approve)
    assert decision.scope == scope
    assert "terminal" in decision.by


async def test_the_person_sees_tool_origin_reason_and_arguments(person):
    waiting = asked(person)
    shown = await person.sees(CHOICES)
    for said in (
        "mcp:github:create_issue (untrusted), by npx github-server",
        "policy-rules: level global asks a person first",
        '"title": "Crash"',
    ):
        assert said in shown
    person.types("d\n")
    await person.sees("what to tell the model")
    person.types("not today\n")
    decision = await waiting
    assert (decision.message, type(decision)) == ("not today", Reject)


async def test_what_is_no_answer_is_asked_again(person):
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types("perhaps\n")
    await person.sees("'perhaps' is none of these")
    await person.sees(CHOICES)
    person.types("\n")
    await person.sees(CHOICES)
    person.types("n\n")
    await person.sees("what to tell the model")
    person.types("\n")
    assert (await waiting).message == "the request was denied"


async def test_what_was_typed_before_the_question_does_not_count(person):
    person.types("a\na\n")
    await person.sees("a\r\na\r\n")
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types("d\n")
    await person.sees("what to tell the model")
    person.types("\n")
    assert isinstance(await waiting, Reject)


async def test_arguments_are_edited_as_json_and_shown_again(person):
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types("e\n")
    await person.sees("as JSON: ")
    person.types('{"title": "Hang"}\n')
    await person.sees("approve these, once?")
    person.types("y\n")
    assert (await waiting).arguments == {"title": "Hang"}


@pytest.mark.parametrize(("typed", "said"), [("{", "not JSON"), ("[1]", "a JSON object")])
async def test_arguments_that_are_none_are_asked_again(person, typed, said):
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types("e\n")
    await person.sees("as JSON: ")
    person.types(f"{typed}\n")
    await person.sees(said)
    await person.sees(CHOICES)
    person.types("o\n")
    assert (await waiting).arguments is None


async def test_arguments_are_edited_in_the_persons_editor(person, tmp_path):
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "assert path.stat().st_mode & 0o077 == 0\n"
        "path.write_text(path.read_text().replace('Crash', 'Hang'))\n"
        "print(path)\n"
    )
    environ = {"EDITOR": f"{sys.executable} {script}"}
    waiting = asked(person, environ=environ)
    await person.sees(CHOICES)
    person.types("e\n")
    shown = await person.sees("approve these, once?")
    person.types("y\n")
    assert (await waiting).arguments == {"title": "Hang"}
    (left,) = [word for word in shown.split() if word.endswith(".json")]
    assert not is_there(left)


async def test_an_editor_that_is_not_there_is_said(person):
    waiting = asked(person, environ={"VISUAL": "/no/such/editor"})
    await person.sees(CHOICES)
    person.types("e\n")
    await person.sees("cannot be started")
    await person.sees("approve these, once?")
    person.types("n\n")
    await person.sees(CHOICES)
    person.types("o\n")
    assert (await waiting).arguments is None


async def test_when_another_answers_first_the_question_is_withdrawn(person):
    console = Console(Terminal(person.stdin, person.stderr), {})
    first = asyncio.create_task(console.decision(request()))
    await person.sees(CHOICES)
    second = asyncio.create_task(console.decision(request({"title": "second"})))
    first.cancel()
    await person.sees("no answer is needed any more")
    await person.sees('"title": "second"')
    await person.sees(CHOICES)
    person.types("o\n")
    assert isinstance(await second, Approve)
    with suppress(asyncio.CancelledError):
        await first


async def test_requests_are_asked_one_after_the_other(person):
    console = Console(Terminal(person.stdin, person.stderr), {})
    both = [
        asyncio.create_task(console.decision(request({"title": word}))) for word in ("one", "two")
    ]
    await person.sees('"one"')
    await person.sees(CHOICES)
    assert "two" not in person.seen
    person.types("o\n")
    await person.sees('"two"')
    await person.sees(CHOICES)
    person.types("s\n")
    assert [decision.scope for decision in await asyncio.gather(*both)] == ["once", "session"]


async def test_the_end_of_input_leaves_it_to_others(person):
    waiting = asked(person)
    await person.sees(CHOICES)
    person.types("\x04")
    assert await waiting is None


async def test_a_request_that_expired_while_it_waited_its_turn_is_not_asked(person):
    assert await asked(person, request(wait_s=0)) is None
    assert person.seen == ""


async def test_the_text_of_a_tool_cannot_steer_the_terminal(person):
    sly = request({"title": "\x9b31m\u202e"}, origin="\x1b[2Jevil")
    waiting = asked(person, sly)
    shown = await person.sees(CHOICES)
    assert "evil" in shown
    assert not any(char in shown for char in "\x1b\u202e\x9b")
    person.types("o\n")
    await waiting


async def test_long_arguments_are_cut_and_said(person):
    waiting = asked(person, request({"title": "x" * 9000}))
    assert "more characters" in await person.sees(CHOICES)
    person.types("o\n")
    await waiting


PROCESS = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from conftest import request
from toolsearch_approval_console import plugin
from toolsearch_hookspecs import PluginContext
console = plugin()
console.toolsearch_configure(PluginContext(name="x", base_dir=Path(), state_dir=Path()))
print(repr(asyncio.run(console.toolsearch_approve(request()))))
"""


async def process(stdin, stderr):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROCESS, str(Path(__file__).parent)),
        stdin=stdin,
        stderr=stderr,
        stdout=asyncio.subprocess.PIPE,
    )


async def test_a_process_at_a_terminal_asks(person):
    child = await process(person.end, person.end)
    await person.sees(CHOICES)
    person.types("s\n")
    out, _ = await child.communicate()
    assert b"scope='session'" in out


async def test_a_process_without_a_terminal_asks_nobody(person):
    nowhere = asyncio.subprocess.DEVNULL
    for stdin, stderr in ((nowhere, person.end), (person.end, nowhere)):
        child = await process(stdin, stderr)
        assert (await child.communicate())[0] == b"None\n"


async def test_a_process_without_standard_streams_asks_nobody(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    console = plugin()
    console.toolsearch_configure(PluginContext(name="x", base_dir=Path(), state_dir=Path()))
    assert await console.toolsearch_approve(request()) is None
