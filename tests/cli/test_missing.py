"""A tool that is not there: said to a person, with the server that is down and may have it."""

import sys

import pytest

DOWN = """{{
  tools: {{ toolSearch: {{ mode: "tools" }} }},
  agents: {{ reader: {{ allow: ["read_it"] }} }},
  mcpServers: {{ gone: {{ command: "{missing}" }} }},
}}"""


@pytest.fixture
def down(place):
    file = place / "down.json5"
    file.write_text(DOWN.format(missing=place / "nothing-here"))
    return ("--config", str(file))


@pytest.mark.parametrize("asked", ["mcp:gone:create_issue", "create_issue"])
def test_policy_explain_names_the_server_that_is_down_and_may_have_it(cli, down, asked):
    done = cli(*down, "policy", "explain", asked)
    assert done.code == 1
    assert f"no source has a tool {asked}. Server gone is unavailable (" in done.err
    assert "it may be there" in done.err


def test_describe_and_call_say_it_to_a_person_and_not_to_a_model(cli, down):
    for command in ("describe", "call"):
        done = cli(*down, command, "create_issue")
        assert done.code == 1
        assert "there is no tool 'create_issue' for this agent. Server gone is una" in done.err
        assert "`toolsearch search` finds tools" in done.err
        assert "tool_search" not in done.err
        told = cli(*down, command, "create_issue", "--json").json["error"]
        assert (told["type"], told["code"], told["executed"]) == ("call", "unknown_tool", False)


def test_with_a_nearer_tool_the_server_is_not_blamed(cli, shelf):
    done = cli(*shelf, "describe", "shorte")
    assert "Did you mean plugin:textwrap:shorten?" in done.err
    assert "unavailable" not in done.err


def test_an_agent_that_may_use_nothing_of_it_does_not_hide_from_a_person_that_it_is_down(cli, down):
    done = cli(*down, "search", "--agent", "reader", "read")
    assert "No source has any tools: server gone is unavailable (" in done.err
    assert "Add mcpServers" not in done.err


def test_servers_without_tools_are_not_answered_with_add_mcpservers(cli, place):
    file = place / "idle.json5"
    file.write_text(
        f"{{ mcpServers: {{ off: {{ command: {sys.executable!r}, disabled: true }} }} }}"
    )
    done = cli("--config", str(file), "search", "x")
    assert "None of the mcpServers has any" in done.err
    assert "Add mcpServers" not in done.err
