"""Why a hint counts although a tool denies it, and does not although it claims it."""

from __future__ import annotations

import pytest

from .rules_of import Rules, run, tool

READ_ONLY = {"read_only": True, "destructive": False}
LOG = tool("mcp:git:git_log", trusted=False, hints=READ_ONLY)
TRUSTED = tool("mcp:git:git_log", trusted=True, hints=READ_ONLY)
CURE = "but is not trusted: `trusted: true` at mcpServers.git lets its hints count"


def why(config, asked, **who):
    told = Rules(config).plugin.toolsearch_policy_explain(run(**who), asked, None)
    return None if told.decided_by is None else told.decided_by.reason


def test_a_person_is_told_why_a_tool_that_is_called_read_only_counts_as_destructive():
    ask = {"tools": {"ask": ["hint:Destructive"]}}
    assert f"the server calls it read-only, {CURE}" in why(ask, LOG)
    assert why(ask, TRUSTED) is None
    closed = tool("mcp:git:x", trusted=False, hints={"open_world": False})
    openness = {"tools": {"ask": ["hint:openWorld"]}}
    assert f"the server calls it closed to the world, {CURE}" in why(openness, closed)


def test_and_why_an_allowance_for_what_is_read_only_does_not_reach_it():
    allow = {"agents": {"auditor": {"allow": ["group:fs", "hint:readOnly"]}}}
    reason = why(allow, LOG, agent="auditor")
    assert f"the server calls it read-only, {CURE}" in reason
    assert "trusted" not in why(allow, tool("mcp:git:x", trusted=False), agent="auditor")


def test_a_tool_that_says_nothing_of_itself_is_told_from_one_that_is_not_believed():
    ask = {"tools": {"ask": ["hint:destructive"]}}
    for trusted in (True, False):
        reason = why(ask, tool("mcp:git:x", trusted=trusted))
        assert "nothing says that it is harmless, which counts as destructive" in reason
    said = why(ask, tool("mcp:git:x", trusted=False, hints={"destructive": True}))
    assert said == "level global asks a person first; at tools.ask.0"


def test_a_source_that_has_no_such_setting_is_not_told_to_set_it():
    reason = why({"tools": {"ask": ["hint:destructive"]}}, tool("client:app:x", trusted=False, hints=READ_ONLY))  # fmt: skip
    assert "its source calls it read-only, but is not trusted" in reason
    assert "mcpServers" not in reason


@pytest.mark.parametrize("arguments", [None, {}])
def test_whoever_is_asked_reads_it_too(arguments):
    answer = Rules({"tools": {"ask": ["hint:destructive"]}}).answer([LOG], arguments)
    assert answer.asks[LOG.id].reason.endswith(CURE)
    plain = Rules({"tools": {"ask": ["git_log"]}}).answer([LOG], arguments)
    assert plain.asks[LOG.id].reason == "level global asks a person first"
