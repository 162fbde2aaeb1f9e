"""Entries that match nothing, and levels that void another."""

from __future__ import annotations

from .rules_of import Rules, tool

EXEC = tool("openclaw:core:exec", aliases=("Bash",))
READ = tool("plugin:files:read_page", groups=("pages",))
ISSUE = tool("mcp:github:create_issue", trusted=False, plugin="source-mcp")
ALL = [EXEC, READ, ISSUE]


def test_an_entry_that_matches_nothing_names_level_place_and_nearest_name():
    rules = Rules(
        {"agents": {"clerk": {"deny": ["exec", "read_pge"]}}},
        places={"agents.clerk.deny.1": "toolsearch.json5:4:12"},
    )
    (told,) = rules.told(ALL, agent="clerk")
    assert "'read_pge'" in told
    assert "level agent" in told
    assert "toolsearch.json5:4:12" in told
    assert "did you mean 'read_page'?" in told


def test_the_nearest_name_is_of_the_entrys_own_kind():
    entries = ["mcp:github:create_isue", "mcp:gihub", "group:pagess", "group:memry", "bsh*", "Bosh"]
    told = Rules({"tools": {"deny": entries}}).told(ALL)
    suggestions = [one.partition("did you mean ")[2] for one in told]
    assert suggestions == [
        "'mcp:github:create_issue'?",
        "'mcp:github'?",
        "'group:pages'?",
        "'group:memory'?",
        "",
        "'Bash'?",
    ]


def test_entries_that_match_are_not_reported():
    assert Rules({"tools": {"deny": ["bash", "group:pages"], "ask": ["mcp:*"]}}).told(ALL) == []


def test_rules_of_other_runs_are_not_reported():
    assert Rules({"agents": {"clerk": {"deny": ["nothing"]}}}).told(ALL, agent="other") == []


def test_a_level_that_voids_another_is_named():
    rules = Rules(
        {"managed": {"deny": ["*"]}, "agents": {"clerk": {"allow": ["exec"]}}},
        places={
            "managed.deny.0": "toolsearch.json5:2:20",
            "agents.clerk.allow": "toolsearch.json5:7:3",
        },
    )
    (told,) = rules.told(ALL, agent="clerk")
    assert told.startswith("agents.clerk.allow (toolsearch.json5:7:3) at level agent has no effect")
    assert "level managed at managed.deny.0 (toolsearch.json5:2:20), entry '*'" in told


def test_an_allow_list_that_voids_another_level_is_named():
    rules = Rules({"tools": {"allow": ["exec"]}, "agents": {"clerk": {"allow": ["read_page"]}}})
    told = rules.told(ALL, agent="clerk")
    assert len(told) == 2
    assert "tools.allow at level global has no effect" in told[0]
    assert "agents.clerk.allow at level agent has no effect" in told[1]


def test_ordinary_narrowing_is_not_reported():
    rules = Rules(
        {"tools": {"deny": ["exec"]}, "agents": {"clerk": {"allow": ["exec", "read_page"]}}}
    )
    assert rules.told(ALL, agent="clerk") == []


def test_a_profile_without_rules_is_reported_with_the_nearest():
    rules = Rules({"profiles": {"messaging": {"deny": ["exec"]}}})
    (told,) = rules.told(ALL, profile="mesaging")
    assert "did you mean 'messaging'" in told
    assert rules.told(ALL, profile="messaging") == []


def test_calls_bring_no_diagnostics():
    assert Rules({"tools": {"deny": ["nothing"]}}).answer([EXEC], {"a": 1}).diagnostics == ()


def test_many_entries_that_match_nothing_are_each_reported():
    assert len(Rules({"tools": {"deny": [f"nothing_{n}" for n in range(60)]}}).told(ALL)) == 60
