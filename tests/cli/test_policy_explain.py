"""`policy explain` over policies of third parties, which explain nothing themselves."""

import pytest

POLICY = """
from toolsearch_hookspecs import PolicyAnswer, Ruling, hookimpl


class plugin:
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        {body}
"""

ASKS = POLICY.format(
    body="return PolicyAnswer(asks={t.id: Ruling(reason='outside office hours') for t in tools})"
)
DENIES = POLICY.format(
    body="return PolicyAnswer(denied={t.id: Ruling(reason='not today', level='week', entry='fri')"
    " for t in tools})"
)
BY_NAME = POLICY.format(
    body="return PolicyAnswer(denied={t.name: Ruling(reason='x') for t in tools})"
)
ABSTAINS = POLICY.format(body="return None")
HOOK = """
from toolsearch_hookspecs import hookimpl


class plugin:
    @hookimpl
    async def toolsearch_before_tool_call(self, call):
        return None
"""


@pytest.fixture
def told(cli, shelf, third_party):
    """What `policy explain wrap` prints with one more plugin enabled."""

    def told(source, *more):
        third_party("office-hours", source)
        return cli(*shelf, "--enable", "office-hours", "policy", "explain", "wrap", *more)

    return told


def test_a_person_who_is_asked_by_a_third_party_is_the_headline_with_plugin_and_reason(told):
    lines = told(ASKS).out.splitlines()
    assert lines[0] == "plugin:textwrap:wrap: a person is asked"
    assert lines[1:3] == ["office-hours asks for a person", "  outside office hours"]
    assert "policy-rules has nothing against it" in lines


def test_a_denial_by_a_third_party_names_plugin_level_entry_and_reason(told):
    lines = told(DENIES).out.splitlines()
    assert lines[0] == "plugin:textwrap:wrap: denied"
    assert lines[1:3] == ["decided at the level week, by 'fri' (office-hours)", "  not today"]
    assert lines[-1].startswith("This agent is not shown the tool")


def test_a_wrong_answer_is_said_as_the_denial_that_it_is(told):
    done = told(BY_NAME)
    assert done.out.splitlines()[0] == "plugin:textwrap:wrap: denied"
    assert "office-hours denies it" in done.out
    assert "'wrap' is the id of no tool it was asked about; answer by `tool.id`" in done.out


def test_every_policy_stands_in_the_data_the_deciding_one_first(told):
    data = told(ASKS, "--json").json
    assert data["verdict"] == "ask"
    assert [(each["plugin"], each["verdict"]) for each in data["policies"]] == [
        ("office-hours", "ask"),
        ("policy-rules", "allow"),
    ]
    assert data["policies"][0]["decided_by"]["reason"] == "outside office hours"


def test_a_policy_without_an_opinion_lets_the_tool_be_allowed(told):
    done = told(ABSTAINS)
    assert done.out.splitlines()[0] == "plugin:textwrap:wrap: allowed"
    assert "LEVEL" not in done.out


def test_a_hook_that_sees_the_call_is_named_since_it_may_still_decide(told):
    assert "Hooks that see the call may still deny or ask: office-hours." in told(HOOK).out


MARKED = """
from toolsearch_hookspecs import SourceListing, ToolSource, ToolSpec, hookimpl


class Safe(ToolSource):
    name, kind, trusted, origin = "safe", "plugin", True, "here"

    async def list_tools(self, run):
        spec = ToolSpec(name="open_safe", approval="it opens the safe")
        return SourceListing(generation="1", tools=[spec])

    async def call(self, call):
        return None


class plugin:
    @hookimpl
    def toolsearch_tool_sources(self, plugin):
        yield Safe()
"""


def test_a_tools_own_mark_is_a_person_who_is_asked(cli, third_party):
    third_party("safe", MARKED)
    done = cli("--enable", "safe", "policy", "explain", "open_safe")
    lines = done.out.splitlines()
    assert lines[0] == "plugin:safe:open_safe: a person is asked"
    assert "the tool itself asks for a person" in lines
    assert "  it opens the safe" in lines
