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


class Lacking:
    """Fits the protocol but for two attributes."""

    name, kind = "lacking", "plugin"

    async def start(self, changed):
        return None

    async def list_tools(self, run):
        return SourceListing(generation="1", tools=())

    async def call(self, call):
        return None

    async def aclose(self):
        return None


class Inheriting(ToolSource):
    """Inherits the protocol, and so has its methods by name, but not what they must do."""

    name, kind, trusted, origin = "inheriting", "plugin", True, "here"


class Synchronous(Source):
    def start(self, changed):
        return None


class Generating(Source):
    async def list_tools(self, run):
        yield None


class Untrue(Source):
    trusted = "no"


class Raising(Source):
    @property
    def origin(self):
        raise OSError("no disk")


UNFIT = [
    (object(), "it is of type object"),
    ("mail", "it is of type str"),
    (Source, "the class itself was given; give an instance: Source(…)"),
    (Source("With Space"), "its name 'With Space' is not made of"),
    (Source(""), "its `name` is empty"),
    (Source(5), "its `name` is of type int; str was expected"),
    (Source("bad", kind="plugn"), "its `kind` is 'plugn'; it may be 'plugin' or 'mcp'"),
    (Source("bad", kind="openclaw"), "its `kind` is 'openclaw'; it may be 'plugin' or 'mcp'"),
    (Lacking(), "it lacks `trusted`; it lacks `origin`"),
    (Inheriting(), "it does not define `list_tools`; it does not define `call`"),
    (Synchronous("bad"), "its `start` is a plain `def`; write `async def start`"),
    (Generating("bad"), "its `list_tools` is an asynchronous generator"),
    (Untrue("bad"), "its `trusted` is of type str; bool was expected"),
    (Raising("bad"), "reading its `origin` raised OSError: no disk"),
]


@pytest.mark.parametrize(("wrong", "said"), UNFIT, ids=[said for _, said in UNFIT])
def test_what_does_not_fit_is_absent_and_reported_and_what_stands_around_it_stays(
    hosted: Hosted, wrong, said
):
    host = hosted(a=sources(Source("mail"), wrong, Source("web")), b=sources(Source("disk")))
    assert [each.value.name for each in host.hooks.tool_sources()] == ["mail", "web", "disk"]
    (problem,) = host.diagnostics
    assert said in problem.message
    assert problem.message.startswith("plugin 'a'")
    assert (problem.level, problem.subject) == ("error", "a")


class Renderer:
    name, mode, controls, needs_runner = "mine", "mine", ("tool_search",), False

    async def render(self, catalog):
        return None

    async def handle(self, run, name, arguments, call_id):
        return None


def test_a_method_that_is_called_without_waiting_is_no_coroutine(hosted: Hosted):
    host = hosted(a=yielding("toolsearch_mode_renderers", Renderer()))
    assert host.hooks.mode_renderers() == ()
    (problem,) = host.diagnostics
    assert "its `render` is `async def`; write a plain `def render`" in problem.message


@pytest.mark.parametrize("answer", [5, Source("alone"), "mail", {"mail": Source("mail")}], ids=type)
def test_an_answer_that_is_no_list_is_reported(hosted: Hosted, answer):
    host = hosted(a=plugin_with(toolsearch_tool_sources=lambda self, plugin: answer))
    assert host.hooks.tool_sources() == ()
    (problem,) = host.diagnostics
    assert "some of ToolSource, yielded or in a list, was expected" in problem.message
    assert problem.level == "error"


def test_what_was_yielded_before_the_hook_failed_stays(hosted: Hosted):
    def implementation(self, plugin):
        yield Source("mail")
        raise OSError("no disk")

    host = hosted(a=plugin_with(toolsearch_tool_sources=implementation))
    assert [each.value.name for each in host.hooks.tool_sources()] == ["mail"]
    (problem,) = host.diagnostics
    assert "no disk" in problem.message


def test_a_hook_that_returns_none_is_told_from_one_that_yields_nothing(hosted: Hosted):
    host = hosted(
        a=plugin_with(toolsearch_tool_sources=lambda self, plugin: None),
        b=plugin_with(toolsearch_tool_sources=lambda self, plugin: []),
    )
    host.hooks.tool_sources()
    silent = [name for name in "ab" if host.hooks.is_silent(name, "toolsearch_tool_sources")]
    assert silent == ["a"]


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
