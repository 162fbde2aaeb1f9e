"""What an entry names."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from toolsearch_hookspecs import ANY_NAME, ConfigError

from .rules_of import Rules, tool

SHELL = tool("openclaw:core:exec", aliases=("Bash",), plugin="toolsearch")
PAGE = tool("plugin:browser:open_page", plugin="browser-tools", groups=("ui",))
ISSUE = tool("mcp:github:create_issue", trusted=False, plugin="source-mcp")
OTHER = tool("mcp:github.old:create_issue", trusted=False, plugin="source-mcp")
FILE = tool("client:app:select_file", trusted=False, plugin="toolsearch")
ALL = [SHELL, PAGE, ISSUE, OTHER, FILE]
IDS = {
    "shell": SHELL.id,
    "page": PAGE.id,
    "issue": ISSUE.id,
    "other": OTHER.id,
    "file": FILE.id,
}


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("exec", "shell"),
        ("EXEC", "shell"),
        ("bash", "shell"),
        ("\uff45xec", "shell"),
        ("ex\u200bec", "shell"),
        ("openclaw:core:exec", "shell"),
        ("openclaw:core:bash", "shell"),
        ("create_issue", "issue other"),
        ("mcp:github:create_issue", "issue"),
        ("MCP:GitHub:Create_Issue", "issue"),
        ("mcp:github:*", "issue"),
        ("mcp:github", "issue"),
        ("mcp:github*", "issue other"),
        ("mcp:*", "issue other"),
        ("mcp:*:create_*", "issue other"),
        ("*:github:*", "issue"),
        ("*:*:create_*", "issue other"),
        ("plugin:browser", "page"),
        ("plugin:browser-tools", "page"),
        ("plugin:source-mcp", "issue other"),
        ("plugin:browser:*", "page"),
        ("group:ui", "page"),
        ("group:runtime", "shell"),
        ("group:mcp", "issue other"),
        ("group:openclaw", "shell"),
        ("group:client", "file"),
        ("*", "shell page issue other file"),
        ("*:*", "shell page issue other file"),
        ("*_*", "page issue other file"),
        ("?xec", "shell"),
        ("*pen*", "page"),
        ("c*e_*e", "issue other"),
        ("create", ""),
        ("exec*c", ""),
    ],
)
def test_an_entry_names(entry, named):
    expected = {IDS[name] for name in named.split()}
    assert set(Rules({"tools": {"deny": [entry]}}).answer(ALL).denied) == expected


def test_a_star_in_an_owner_does_not_reach_into_the_name():
    sly = tool("mcp:gitsly:x:create_issue", trusted=False)
    assert Rules({"tools": {"allow": ["mcp:git*x:create_issue"]}}).word(sly) == "deny"


def test_a_name_that_looks_like_an_id_is_not_taken_for_it():
    sly = tool("mcp:evil:mcp:github:create_issue", trusted=False)
    assert (
        Rules({"tools": {"allow": ["mcp:github:create_issue", "mcp:github:*"]}}).word(sly) == "deny"
    )


def test_the_deployments_own_groups_hold_entries_and_other_groups():
    groups = {"Work": ["group:code", "select_*"], "code": ["exec", "mcp:github:*"]}
    rules = Rules({"tools": {"deny": ["group:work"], "groups": groups}})
    assert set(rules.answer(ALL).denied) == {SHELL.id, ISSUE.id, FILE.id}


def test_a_group_that_holds_itself_is_refused_with_the_circle_named():
    with pytest.raises(ConfigError, match="group:a holds group:b holds group:a"):
        Rules({"tools": {"groups": {"a": ["group:b"], "b": ["group:a"]}}})


def test_what_an_untrusted_tool_says_of_itself_counts_against_it_and_never_for_it():
    mild = tool(
        "mcp:far:peek", trusted=False, hints={"readOnlyHint": True, "destructiveHint": False}
    )
    assert Rules({"tools": {"allow": ["hint:readOnly"]}}).word(mild) == "deny"
    assert Rules({"tools": {"deny": ["hint:readOnly"]}}).word(mild) == "deny"
    assert Rules({"tools": {"ask": ["hint:destructive"]}}).word(mild) == "ask"
    assert Rules({"tools": {"ask": ["hint:openWorld"]}}).word(mild) == "ask"
    grouped = tool("mcp:far:peek", trusted=False, groups=("memory",))
    assert Rules({"tools": {"allow": ["group:memory"]}}).word(grouped) == "deny"
    assert Rules({"tools": {"deny": ["group:memory"]}}).word(grouped) == "deny"
    named = tool("mcp:far:read_file", trusted=False)
    assert Rules({"tools": {"allow": ["group:fs"]}}).word(named) == "deny"
    assert Rules({"tools": {"deny": ["group:fs"]}}).word(named) == "deny"


@pytest.mark.parametrize(
    ("hints", "entry", "named"),
    [
        ({}, "hint:destructive", True),
        ({"destructiveHint": False}, "hint:destructive", False),
        ({"readOnlyHint": True}, "hint:destructive", False),
        ({"destructiveHint": True}, "hint:destructive", True),
        ({}, "hint:readOnly", False),
        ({"readOnlyHint": True}, "hint:READONLY", True),
        ({}, "hint:openWorld", True),
        ({"openWorldHint": False}, "hint:openWorld", False),
    ],
)
def test_hints_of_a_trusted_tool(hints, entry, named):
    one = tool("plugin:own:act", hints=hints)
    assert (Rules({"tools": {"deny": [entry]}}).word(one) == "deny") is named
    assert (Rules({"tools": {"allow": [entry]}}).word(one) == "allow") is named


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("hint:readonlyy", "did you mean 'hint:readOnly'"),
        ("  ", "an entry is a name"),
        ({"tool": "exec", "when": {"command": "rm *"}}, "did you mean '/command'"),
        ({"tool": "exec", "when": {"/command": {"type": "strin"}}}, "not a JSON Schema"),
        ({"tool": "exec", "when": {"/command": []}}, "at least one"),
    ],
)
def test_an_entry_that_cannot_be_meant_is_refused(entry, message):
    with pytest.raises(ValidationError, match=message):
        Rules({"managed": {"deny": [entry]}})


@pytest.mark.parametrize(
    ("rules", "heard_of"),
    [
        ({}, True),
        ({"deny": ["plugin:browser", "openclaw:core:exec", "mcp:jira:*", "mcp:j*"]}, True),
        ({"deny": ["create_issue"]}, False),
        ({"deny": ["*_issue"]}, False),
        ({"deny": ["mcp:github"]}, False),
        ({"deny": ["mcp:github:create_issue"]}, False),
        ({"deny": ["mcp:*:create_*"]}, False),
        ({"deny": ["*:git*:create_*"]}, False),
        ({"deny": ["group:fs"]}, False),
        ({"deny": ["hint:readOnly"]}, False),
        ({"deny": ["group:own"], "groups": {"own": ["create_issue"]}}, False),
        ({"deny": [{"tool": "create_issue", "when": {"/title": "x"}}]}, True),
        ({"ask": ["create_issue"]}, True),
        ({"allow": ["create_issue"]}, False),
        ({"allow": ["mcp:github:create_issue"]}, True),
        ({"allow": ["mcp:git*"]}, True),
        ({"allow": ["plugin:source-mcp"]}, True),
        ({"allow": ["mcp:github"], "deny": ["create_issue"]}, False),
        ({"allow": []}, False),
    ],
)
def test_a_server_that_listed_nothing_yet_may_be_heard_of_only_if_no_rule_may_hide_its_tools(
    rules, heard_of
):
    stand_in = tool(f"mcp:github:{ANY_NAME}", trusted=False, plugin="source-mcp")
    assert (Rules({"tools": rules}).word(stand_in) != "deny") is heard_of
