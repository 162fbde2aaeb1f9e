"""Levels: each can only narrow, deny over ask over allow."""

from __future__ import annotations

import pytest

from .rules_of import Rules, run, tool

READ = tool("plugin:files:read_page")
WRITE = tool("plugin:files:write_page")
SEARCH = tool("mcp:github:search_issues", trusted=False, plugin="source-mcp")
ALL = [READ, WRITE, SEARCH]


def test_without_rules_nothing_is_denied_or_asked():
    assert Rules({}).words(ALL) == dict.fromkeys(
        ("read_page", "write_page", "search_issues"), "allow"
    )


def test_without_an_allow_key_whatever_is_not_denied_is_allowed():
    rules = Rules({"tools": {"deny": ["write_page"]}})
    assert rules.words(ALL) == {
        "read_page": "allow",
        "write_page": "deny",
        "search_issues": "allow",
    }


def test_an_empty_allow_list_allows_nothing():
    assert set(Rules({"tools": {"allow": []}}).words(ALL).values()) == {"deny"}


def test_deny_wins_over_ask_and_ask_over_allow_whatever_is_more_specific():
    rules = Rules(
        {
            "tools": {
                "allow": ["plugin:files:write_page", "read_page"],
                "ask": ["plugin:files:read_page"],
                "deny": ["*_page"],
            }
        }
    )
    assert rules.words(ALL) == dict.fromkeys(("read_page", "write_page", "search_issues"), "deny")
    rules = Rules({"tools": {"allow": ["plugin:files:read_page"], "ask": ["*"]}})
    assert rules.word(READ) == "ask"


def test_an_ask_entry_does_not_admit_what_allow_leaves_out():
    rules = Rules({"tools": {"allow": ["read_page"], "ask": ["write_page"]}})
    assert rules.word(WRITE) == "deny"
    assert any("tools.ask" in told and "no effect" in told for told in rules.told(ALL))


@pytest.mark.parametrize(
    ("config", "who"),
    [
        ({"managed": {"deny": ["write_page"]}}, {}),
        ({"tools": {"deny": ["write_page"]}}, {}),
        ({"profiles": {"reading": {"deny": ["write_page"]}}}, {"profile": "Reading"}),
        ({"providers": {"acme": {"deny": ["write_page"]}}}, {"provider": "acme"}),
        (
            {"providers": {"acme/small": {"deny": ["write_page"]}}},
            {"provider": "acme", "model": "small"},
        ),
        ({"agents": {"clerk": {"deny": ["write_page"]}}}, {"agent": "clerk"}),
        ({"channels": {"mail": {"deny": ["write_page"]}}}, {"channel": "mail"}),
        ({"sessions": {"cron:*": {"deny": ["write_page"]}}}, {"session": "cron:nightly"}),
        ({"sandbox": {"deny": ["write_page"]}}, {"sandbox": "box"}),
        ({"sandbox": {"names": {"box": {"deny": ["write_page"]}}}}, {"sandbox": "box"}),
        ({"subagents": {"deny": ["write_page"]}}, {"parent": run()}),
        (
            {"subagents": {"agents": {"clerk": {"deny": ["write_page"]}}}},
            {"parent": run(), "agent": "clerk"},
        ),
    ],
    ids=lambda value: next(iter(value), "anyone"),
)
def test_each_level_narrows_the_runs_it_speaks_of(config, who):
    rules = Rules(config)
    assert rules.words(ALL, **who)["write_page"] == "deny"
    assert rules.words(ALL, **who)["read_page"] == "allow"
    if who:
        assert rules.word(WRITE) == "allow"


def test_no_level_widens_what_another_narrowed():
    rules = Rules(
        {"tools": {"allow": ["read_page"]}, "agents": {"clerk": {"allow": ["write_page"]}}}
    )
    assert set(rules.words(ALL, agent="clerk").values()) == {"deny"}


def test_a_sub_agent_inherits_its_parents_rules_also_for_tools_that_arrive_later():
    rules = Rules({"agents": {"main": {"deny": ["write_*"]}, "helper": {}}})
    late = tool("plugin:files:write_later")
    parent = run(agent="main")
    assert rules.word(WRITE, agent="helper", parent=parent) == "deny"
    assert rules.word(late, agent="helper", parent=parent) == "deny"
    assert rules.word(late, agent="helper", parent=run(agent="other", parent=parent)) == "deny"
    assert rules.word(late, agent="helper") == "allow"


def test_the_ruling_names_the_level_and_the_entry_as_written():
    answer = Rules({"agents": {"Clerk": {"deny": ["Write_*"]}}}).answer(ALL, agent="clerk")
    ruling = answer.denied[WRITE.id]
    assert (ruling.level, ruling.entry) == ("agent", "Write_*")


def test_a_rule_may_say_to_the_model_why():
    rules = Rules({"tools": {"deny": [{"tool": "write_page", "reason": "the pages are frozen"}]}})
    assert rules.answer(ALL).denied[WRITE.id].reason == "the pages are frozen"


def test_the_first_level_that_denies_is_the_one_that_is_named():
    rules = Rules({"agents": {"*": {"deny": ["*"]}}, "managed": {"deny": ["write_page"]}})
    assert rules.answer(ALL).denied[WRITE.id].level == "managed"
    assert rules.answer(ALL).denied[READ.id].level == "agent"


def test_runs_under_the_same_rules_share_a_cache_key_and_others_do_not():
    rules = Rules({"agents": {"clerk": {"deny": ["*"]}}, "sessions": {"cron:*": {"ask": ["*"]}}})

    def key(**who):
        return rules.answer([], **who).cache_key

    assert key(session="a", agent="x") == key(session="b", agent="y")
    assert len({key(), key(agent="clerk"), key(session="cron:1")}) == 3
    assert key(session="cron:1") == key(session="cron:2")
    assert key() != Rules({"managed": {"deny": ["x"]}}).answer([]).cache_key


def test_a_group_of_the_deployment_is_part_of_the_key():
    one = Rules({"tools": {"deny": ["group:own"], "groups": {"own": ["read_page"]}}})
    other = Rules({"tools": {"deny": ["group:own"], "groups": {"own": ["write_page"]}}})
    assert one.answer([]).cache_key != other.answer([]).cache_key
