"""Conditions on arguments."""

from __future__ import annotations

import threading

import pytest

from .rules_of import Rules, run, tool

SHELL = tool("openclaw:core:exec", aliases=("shell",))
READ = tool("plugin:files:read")


def word(effect, when, arguments):
    return Rules({"tools": {effect: [{"tool": "exec", "when": when}]}}).word(SHELL, arguments)


def test_a_conditional_deny_leaves_the_tool_in_the_catalog_and_denies_the_call():
    rules = Rules({"tools": {"deny": [{"tool": "shell", "when": {"/command": "rm *"}}]}})
    assert rules.word(SHELL) == "allow"
    assert rules.word(SHELL, {"command": "ls"}) == "allow"
    assert rules.word(SHELL, {"command": "rm -rf build"}) == "deny"
    assert rules.word(READ, {"command": "rm -rf build"}) == "allow"


def test_a_conditional_ask_asks_at_the_call_alone():
    rules = Rules({"tools": {"ask": [{"tool": "shell", "when": {"/command": "git push*"}}]}})
    assert rules.word(SHELL) == "allow"
    assert rules.word(SHELL, {"command": "git push origin"}) == "ask"


def test_a_conditional_allow_admits_at_planning_and_is_held_to_at_the_call():
    rules = Rules({"tools": {"allow": [{"tool": "shell", "when": {"/command": "git *"}}]}})
    assert rules.word(SHELL) == "allow"
    assert rules.word(READ) == "deny"
    assert rules.word(SHELL, {"command": "git log"}) == "allow"
    assert rules.word(SHELL, {"command": "curl x"}) == "deny"
    assert rules.word(SHELL, {}) == "deny"
    ruling = rules.answer([SHELL], {"command": "curl x"}).denied[SHELL.id]
    assert "other arguments" in ruling.reason


def test_all_conditions_of_an_entry_must_hold():
    when = {"/command": "rm *", "/cwd": "/srv/*"}
    assert word("deny", when, {"command": "rm x", "cwd": "/srv/www"}) == "deny"
    assert word("deny", when, {"command": "rm x", "cwd": "/tmp"}) == "allow"


@pytest.mark.parametrize(
    ("when", "arguments", "holds"),
    [
        ({"/command": "rm *"}, {"command": "rm -rf\n/x"}, True),
        ({"/command": "rm *"}, {"command": "RM x"}, False),
        ({"/command": "*[x]*"}, {"command": "a[x]b"}, True),
        ({"/command": ["rm *", "dd *"]}, {"command": "dd if=x"}, True),
        ({"/a/b": "x"}, {"a": {"b": "x"}}, True),
        ({"/a~1b/0": "x"}, {"a/b": ["x"]}, True),
        ({"/a/1": "x"}, {"a": ["x"]}, False),
        ({"": {"required": ["force"]}}, {"force": 1}, True),
        ({"/force": True}, {"force": True}, True),
        ({"/force": True}, {"force": 1}, False),
        ({"/n": 3}, {"n": 3}, True),
        ({"/n": None}, {"n": None}, True),
        ({"/n": None}, {}, False),
        ({"/n": "5*"}, {"n": 51}, True),
        ({"/n": {"type": "integer", "minimum": 10}}, {"n": 11}, True),
        ({"/n": {"type": "integer", "minimum": 10}}, {"n": 9}, False),
        ({"/paths": "/etc/*"}, {"paths": ["/home/x", "/etc/passwd"]}, True),
        ({"/paths": "/etc/*"}, {"paths": [{"p": "/etc/passwd"}]}, True),
    ],
)
def test_a_condition(when, arguments, holds):
    assert (word("deny", when, arguments) == "deny") is holds


def test_a_list_is_admitted_only_when_every_value_in_it_fits():
    when = {"/paths": "/home/*"}
    assert word("allow", when, {"paths": ["/home/a", "/home/b"]}) == "allow"
    assert word("allow", when, {"paths": ["/home/a", "/etc/passwd"]}) == "deny"
    assert word("allow", when, {"paths": []}) == "deny"


def test_a_schema_that_refers_elsewhere_fetches_nothing_and_fails():
    from referencing.exceptions import Unresolvable

    when = {"/n": {"$ref": "http://127.0.0.1:1/schema.json"}}
    rules = Rules({"tools": {"deny": [{"tool": "exec", "when": when}]}})
    with pytest.raises(Exception) as raised:
        rules.word(SHELL, {"n": 1})
    assert isinstance(raised.value, Unresolvable) or "Unresolvable" in repr(raised.value)


def test_a_deeply_nested_argument_is_looked_through_without_recursion():
    value = "/etc/passwd"
    for _ in range(5000):
        value = [value]
    assert word("deny", {"/paths": "/etc/*"}, {"paths": value}) == "deny"


@pytest.mark.parametrize(
    ("rules", "on_the_loop"),
    [
        ({"deny": ["exec"]}, True),
        ({"deny": [{"tool": "exec", "when": {"/path": "*"}}]}, False),
    ],
)
async def test_a_call_is_judged_on_the_loop_where_no_rule_looks_at_what_a_model_wrote(
    rules, on_the_loop, monkeypatch
):
    from toolsearch_policy_rules._policy import Policy

    plugin = Rules({"tools": rules}).plugin
    judged, answer = [], Policy.answer

    def seen(self, *given):
        judged.append(threading.current_thread() is threading.main_thread())
        return answer(self, *given)

    monkeypatch.setattr(Policy, "answer", seen)
    for arguments in ({"path": "x"}, None):
        given = await plugin.toolsearch_tool_policy(run(), [SHELL], arguments)
        assert (SHELL.id in given.denied) == (on_the_loop or arguments is not None)
    await plugin.toolsearch_tool_policy(run(), [SHELL, READ], None)
    assert judged == [on_the_loop, on_the_loop, False]
