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
    assert told.startswith("warning: ")
    assert told.endswith("; did you mean 'read_page'?")


def test_a_guard_that_matches_nothing_today_is_no_warning_and_nobody_is_told_to_take_it_out():
    guards = ["hint:destructive", "group:fs", "group:memory", "*_delete", "mcp:github:rm_*"]
    others = ["shutil.rmtree", "git_reset", "mcp:gitlab", "delete_branch"]
    harmless = {"read_only": True, "destructive": False}
    kept = [
        tool("mcp:github:get_pull_request", hints=harmless),
        tool("plugin:files:git_test", hints=harmless),
    ]
    for entry in guards + others:
        (told,) = Rules({"tools": {"deny": [entry]}}).told(kept)
        assert told == f"info: tools.deny.0: {entry!r} at level global matches no tool of this run"
    assert Rules({"tools": {"deny": ["*"], "ask": ["git_test"]}}).told(kept) == []


def test_a_slip_of_the_pen_is_told_from_another_name():
    known = [tool("mcp:github:create_issue"), tool("mcp:github:git_reset")]
    for slip in ("create_isue", "craete_issue", "git_rset", "mcp:github:git_rest"):
        (told,) = Rules({"tools": {"deny": [slip]}}).told(known)
        assert "did you mean" in told, slip
    for other in ("create_branch", "git_test", "issue_create", "reset"):
        (told,) = Rules({"tools": {"deny": [other]}}).told(known)
        assert "did you mean" not in told, other


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
    assert told.startswith(
        "warning: agents.clerk.allow (toolsearch.json5:7:3) at level agent has no effect"
    )
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


def test_a_group_that_nobody_defines_is_a_warning_and_one_that_a_tool_brings_is_not():
    config = {"tools": {"deny": ["group:pages", "group:nosuch"], "groups": {"mine": ["exec"]}}}
    (told,) = Rules(config, places={"tools.deny.1": "f:3:1"}).told(ALL)
    assert told == (
        "warning: tools.deny.1 (f:3:1): no group 'group:nosuch' is defined, so the entry names "
        'nothing; write what is in it: tools.groups: { NAME: ["tool", …] }'
    )
    (told,) = Rules({"tools": {"ask": ["Group:mime"], "groups": {"mine": ["exec"]}}}).told(ALL)
    assert "no group 'Group:mime' is defined" in told
    assert "did you mean 'group:mine'?" in told


def test_without_tools_the_rules_of_every_level_are_looked_through_for_groups():
    wrong = {"deny": ["group:nosuch"]}
    told = Rules(
        {
            "managed": {"ask": ["group:mcp", "group:fs"]},
            "tools": {"groups": {"mine": ["group:other"]}},
            "agents": {"clerk": wrong},
            "sandbox": {"names": {"box": wrong}},
            "subagents": {"agents": {"scout": wrong}},
        }
    ).told([])
    assert sorted(each.split(": ")[1] for each in told) == [
        "agents.clerk.deny.0",
        "sandbox.names.box.deny.0",
        "subagents.agents.scout.deny.0",
        "tools.groups.mine.0",
    ]
