from __future__ import annotations

import pytest

from toolsearch.plugins import Plan, PluginHost
from toolsearch_hookspecs import Command, SourceListing, ToolSource

from .conftest import Hosted, plugin_with


class Source(ToolSource):
    trusted = True
    origin = "here"

    def __init__(self, name: str, kind: str = "plugin") -> None:
        self.name = name
        self.kind = kind

    async def list_tools(self, run):
        return SourceListing(generation="1", tools=())

    async def call(self, call):
        return None


async def nothing(context, values):
    return None


def command(name: str) -> Command:
    return Command(name=name, help="", run=nothing)


def yielding(hook: str, *values) -> type:
    def implementation(self, plugin):
        yield from values

    return plugin_with(**{hook: implementation})


def sources(*values) -> type:
    return yielding("toolsearch_tool_sources", *values)


def test_what_plugins_yield_is_stamped_and_in_their_order(hosted: Hosted):
    one, two, three = Source("one"), Source("two"), Source("three")
    host = hosted(b=sources(two, three), a=sources(one))
    given = [(each.plugin, each.value) for each in host.hooks.tool_sources()]
    assert given == [("a", one), ("b", two), ("b", three)]


def test_a_plugin_is_asked_once_a_host(hosted: Hosted):
    asked = []

    def implementation(self, plugin):
        asked.append(plugin.name)
        return [Source("one")]

    host = hosted(a=plugin_with(toolsearch_tool_sources=implementation))
    assert host.hooks.tool_sources() is host.hooks.tool_sources()
    assert asked == ["a"]


def test_a_plugin_may_yield_nothing(hosted: Hosted):
    host = hosted(
        a=plugin_with(toolsearch_tool_sources=lambda self, plugin: None),
        b=plugin_with(toolsearch_tool_sources=lambda self: []),
    )
    assert host.hooks.tool_sources() == ()
    assert host.diagnostics == ()


def test_one_name_from_two_plugins_is_used_from_neither_and_both_are_named(hosted: Hosted):
    host = hosted(a=sources(Source("mail"), Source("web")), b=sources(Source("mail")))
    assert [each.value.name for each in host.hooks.tool_sources()] == ["web"]
    (problem,) = host.diagnostics
    assert problem.level == "error"
    assert "'plugin:mail' is offered by 'a'" in problem.message
    assert "'b'" in problem.message


def test_owners_are_unique_within_their_kind_only(hosted: Hosted):
    host = hosted(a=sources(Source("mail"), Source("mail", kind="mcp")))
    assert len(host.hooks.tool_sources()) == 2


@pytest.mark.parametrize(
    "wrong", [object(), Source("With Space"), Source(""), Source(5), "mail"], ids=repr
)
def test_what_does_not_fit_is_absent_and_reported_and_what_came_before_it_stays(
    hosted: Hosted, wrong
):
    host = hosted(a=sources(Source("mail"), wrong))
    assert [each.value.name for each in host.hooks.tool_sources()] == ["mail"]
    (problem,) = host.diagnostics
    assert "gave a wrong answer" in problem.message


@pytest.mark.parametrize("answer", [5, Source("alone")])
def test_an_answer_that_cannot_be_iterated_is_reported(hosted: Hosted, answer):
    host = hosted(a=plugin_with(toolsearch_tool_sources=lambda self, plugin: answer))
    assert host.hooks.tool_sources() == ()
    (problem,) = host.diagnostics
    assert "TypeError" in problem.message


def test_commands_are_told_apart_by_name(hosted: Hosted):
    host = hosted(
        a=yielding("toolsearch_commands", command("serve")),
        b=yielding("toolsearch_commands", command("serve"), command("log show")),
    )
    assert [each.value.name for each in host.hooks.commands()] == ["log show"]


def test_asking_a_host_that_was_not_configured_is_a_mistake_of_the_program():
    host = PluginHost.load(Plan(), [("a", sources(Source("mail")))])
    with pytest.raises(LookupError, match="configure the host"):
        host.hooks.tool_sources()
