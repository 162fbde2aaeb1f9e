from __future__ import annotations

from datetime import UTC, datetime

import pytest
from mcp_types import ElicitResult

from toolsearch_hookspecs import (
    ApprovalRequest,
    Approve,
    AskReason,
    Reject,
    RunContext,
    Tool,
    ToolAnnotations,
    ToolCall,
)
from toolsearch_serve_mcp._questions import decision_of, effects, question
from toolsearch_serve_mcp._tools import covers, effect_of, told_annotations


def tool(*, trusted: bool = False, **annotations) -> Tool:
    return Tool(
        id="mcp:files:remove",
        source="mcp",
        owner="files",
        name="remove",
        annotations=ToolAnnotations(**annotations),
        trusted=trusted,
        digest="d",
        plugin="source-mcp",
        origin="stdio:npx#1",
    )


def asked(arguments, of: Tool | None = None) -> str:
    run = RunContext(run_id="r")
    call = ToolCall(id="c", tool=of or tool(), arguments=arguments, run=run, via="tool_call")
    reason = AskReason(by="tools.ask", reason="\u202eall\nright\x1b[2J")
    now = datetime.now(UTC)
    return question(
        ApprovalRequest(id="a", call=call, reasons=(reason,), digest="d", created=now, expires=now)
    )


def test_a_question_shows_the_tool_what_executes_it_who_asks_and_every_argument():
    text = asked({"path": "/tmp/x"})
    assert "mcp:files:remove" in text
    assert "stdio:npx#1" in text
    assert "tools.ask: all right" in text
    assert '"path": "/tmp/x"' in text


def test_nothing_in_a_question_hides_or_acts():
    text = asked({"path": "\u202e\u200b\x1b[2J", "name": "пример"})
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "\\u202e" in text


def test_arguments_that_are_not_shown_are_said_to_be():
    assert "characters more are NOT SHOWN" in asked({"text": "x" * 10_000})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (tool(trusted=True, read_only=True), "It only reads."),
        (tool(read_only=True), "It may change or destroy things and reach outside."),
        (tool(destructive=False), "It may change or destroy things and reach outside."),
        (tool(trusted=True, destructive=False, open_world=False), "It changes things."),
    ],
)
def test_what_an_untrusted_tool_says_in_its_own_favour_is_not_repeated(given, said):
    assert effects(given) == said


@pytest.mark.parametrize(
    ("action", "decision", "scope"),
    [
        ("accept", "approve once", "once"),
        ("accept", "approve for this session", "session"),
        ("accept", "always approve", "always"),
        ("accept", "deny", None),
        ("accept", "sure", None),
        ("accept", None, None),
        ("decline", "approve once", None),
        ("cancel", None, None),
    ],
)
def test_whatever_is_no_clear_yes_is_a_no(action, decision, scope):
    content = None if decision is None else {"decision": decision}
    answer = decision_of(ElicitResult(action=action, content=content))
    assert isinstance(answer, Reject if scope is None else Approve)
    assert getattr(answer, "scope", None) == scope


@pytest.mark.parametrize(
    ("given", "effect"),
    [
        (tool(trusted=True, read_only=True), "read"),
        (tool(trusted=True, destructive=False), "write"),
        (tool(trusted=True), "destructive"),
        (tool(read_only=True), "destructive"),
    ],
)
def test_only_a_trusted_tool_is_taken_for_harmless(given, effect):
    assert effect_of(given) == effect
    assert covers("destructive", effect)
    assert covers("read", effect) is (effect == "read")


def test_a_client_is_told_of_an_untrusted_tool_only_what_makes_it_careful():
    told = told_annotations(tool(read_only=True, idempotent=True, destructive=True))
    assert (told.read_only, told.idempotent, told.destructive) == (False, None, True)
