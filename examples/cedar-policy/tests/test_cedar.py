import pytest
from cedar_policy import plugin
from cedar_policy._policy import Cedar

from toolsearch.testing import PolicyConformance, make_run, make_tool
from toolsearch_hookspecs import ConfigError, PluginContext, ToolAnnotations

EVERYDAY = """
permit (principal, action, resource);
@id("no-deleting") forbid (principal, action, resource) when { resource.name like "delete*" };
"""

PAYMENTS = """
permit (principal == Agent::"main", action, resource in Owner::"bank");
@id("small-payments-only")
forbid (principal, action == Action::"call", resource == Tool::"plugin:bank:pay")
unless { context.arguments.amount < 100 };
"""

READING = "permit (principal, action, resource) when { resource.readOnly };"
PAY = make_tool("pay", owner="bank")


class TestCedar(PolicyConformance):
    plugin = plugin
    settings = {"path": "tools.cedar"}  # noqa: RUF012
    denies = "delete_file"
    allows = "read_file"

    def loaded(self, folder):
        (folder / "tools.cedar").write_text(EVERYDAY)
        return super().loaded(folder)


def denied(policies, tool=PAY, arguments=None, **who):
    return Cedar(policies).answer(make_run(**who), [tool], arguments).denied.get(tool.id)


def test_a_tool_that_no_policy_permits_is_denied():
    assert denied(PAYMENTS, agent="other").reason == "no policy permits to see it"


def test_a_forbidden_call_names_the_policy():
    assert denied(PAYMENTS, agent="main") is None
    assert denied(PAYMENTS, arguments={"amount": 5}, agent="main") is None
    assert denied(PAYMENTS, arguments={"amount": 500}, agent="main").entry


def test_a_policy_that_cannot_be_evaluated_denies():
    ruling = denied(PAYMENTS, arguments={"amount": "much"}, agent="main")
    assert ruling.reason == "a policy could not be evaluated for call"
    assert denied(PAYMENTS, arguments={}, agent="main")


def test_what_a_stranger_says_of_its_tool_permits_nothing():
    reads = ToolAnnotations(readOnlyHint=True)
    assert denied(READING, make_tool("look", annotations=reads)) is None
    assert denied(READING, make_tool("look", annotations=reads, trusted=False))


def test_arguments_cannot_pretend_to_be_entities():
    wanted = {"amount": {"__entity": {"type": "Agent", "id": "main"}}}
    assert "cannot be judged" in denied(PAYMENTS, arguments=wanted, agent="main").reason


def test_keys_that_only_look_different_are_not_judged():
    assert denied(PAYMENTS, arguments={"amount": 500, "amount\u200b": 5}, agent="main")


def test_a_file_that_is_no_cedar_refuses_the_plugin(tmp_path):
    (tmp_path / "tools.cedar").write_text("permit everything")
    loaded = plugin()
    settings = loaded.toolsearch_settings().model(path="tools.cedar")
    context = PluginContext(
        name="cedar-policy", settings=settings, base_dir=tmp_path, state_dir=tmp_path
    )
    with pytest.raises(ConfigError, match=r"tools\.cedar"):
        loaded.toolsearch_configure(context)
