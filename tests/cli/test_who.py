"""An agent or a profile that is misspelt on the command line does not lose its rules in silence."""

import pytest

RULES = """{
  tools: { toolSearch: { mode: "tools" } },
  agents: { auditor: { allow: ["hint:readOnly"] }, "team-*": {} },
  profiles: { strict: { deny: ["*"] } },
  subagents: { agents: { scout: {} } },
}"""


@pytest.fixture
def ruled(place):
    file = place / "ruled.json5"
    file.write_text(RULES)
    return ("--config", str(file))


@pytest.mark.parametrize(
    "command",
    [
        ("search", "time"), ("describe", "x"), ("call", "x"), ("stats",), ("policy", "explain", "x"),
        ("serve",), ("gateway",),
    ],
)  # fmt: skip
def test_a_misspelt_agent_is_an_error_with_the_nearest_name(cli, ruled, command):
    done = cli(*ruled, *command, "--agent", "auditer")
    assert done.code == 2
    assert "--agent auditer" in done.err
    assert "did you mean 'auditor'?" in done.err
    assert "agents: { auditer: {} }" in done.err


def test_a_profile_that_is_not_there_is_an_error_that_names_those_that_are(cli, ruled):
    done = cli(*ruled, "search", "--profile", "nosuch", "x")
    assert done.code == 2
    assert "has no profile of that name; there is strict." in done.err


@pytest.mark.parametrize("agent", ["auditor", "AUDITOR", "team-red", "scout", "default"])
def test_an_agent_that_is_there_by_name_or_pattern_is_taken(cli, ruled, agent):
    assert "--agent" not in cli(*ruled, "search", "--agent", agent, "x").err


def test_without_agents_in_the_configuration_any_name_will_do(cli, shelf):
    done = cli(*shelf, "search", "--agent", "anybody", "--profile", "any", "wrap")
    assert (done.code, done.err) == (0, "")


def test_an_option_of_that_name_of_a_third_partys_command_is_its_own(cli, ruled, third_party):
    third_party(
        "keys",
        "from toolsearch_hookspecs import Command, Parameter, hookimpl\n"
        "async def run(context, given):\n    context.show(given['agent'])\n"
        "class plugin:\n    @hookimpl\n    def toolsearch_commands(self, plugin):\n"
        "        return [Command(name='keys', help='x', run=run,"
        " parameters=(Parameter(name='agent', help='x'),))]\n",
    )
    done = cli(*ruled, "--enable", "keys", "keys", "--agent", "ssh")
    assert (done.code, done.out) == (0, "ssh\n")
