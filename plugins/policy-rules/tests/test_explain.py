"""`policy explain`: the deciding level and entry, and what each other level said."""

from __future__ import annotations

from .rules_of import Rules, run, tool

EXEC = tool("openclaw:core:exec")


def explained(config, arguments=None, places=None, **who):
    return Rules(config, places).plugin.toolsearch_policy_explain(run(**who), EXEC, arguments)


def test_every_level_is_heard_in_order_and_the_deciding_one_named():
    told = explained(
        {
            "managed": {"ask": ["exec"]},
            "tools": {"allow": ["ex*"]},
            "agents": {"clerk": {"deny": ["group:runtime"]}},
        },
        places={"agents.clerk.deny.0": "toolsearch.json5:9:4"},
        agent="clerk",
    )
    assert [level.level for level in told.levels] == [
        "managed",
        "global",
        "profile",
        "provider",
        "agent",
        "channel",
        "session",
        "sandbox",
        "sub-agent",
    ]
    said = {level.level: (level.verdict, level.entry) for level in told.levels}
    assert said["managed"] == ("ask", "exec")
    assert said["global"] == ("allow", "ex*")
    assert said["agent"] == ("deny", "group:runtime")
    assert said["channel"] == ("silent", None)
    assert told.verdict == "deny"
    assert (told.decided_by.level, told.decided_by.entry) == ("agent", "group:runtime")
    assert "toolsearch.json5:9:4" in told.decided_by.reason


def test_without_rules_it_is_allowed_and_nothing_decided():
    told = explained({})
    assert (told.verdict, told.decided_by) == ("allow", None)


def test_a_missing_allow_entry_is_the_reason():
    told = explained({"tools": {"allow": ["read"]}})
    assert told.verdict == "deny"
    assert told.decided_by.entry is None
    assert "not among what level global allows" in told.decided_by.reason
    assert "tools.allow" in told.decided_by.reason


def test_what_depends_on_the_arguments_is_said_and_settled_by_arguments():
    config = {"tools": {"deny": [{"tool": "exec", "when": {"/command": "rm *"}}]}}
    told = explained(config)
    level = next(level for level in told.levels if level.level == "global")
    assert told.verdict == "allow"
    assert level.reason == 'at a call: deny exec when /command fits "rm *"'
    assert explained(config, {"command": "rm x"}).verdict == "deny"


def test_inherited_levels_stand_last_under_their_parents_name():
    told = explained(
        {"agents": {"main": {"deny": ["exec"]}}}, agent="helper", parent=run(agent="main")
    )
    assert told.levels[-1].level == "parent/agent"
    assert told.decided_by.level == "parent/agent"
