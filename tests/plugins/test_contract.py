from __future__ import annotations

import pluggy
import pytest

from toolsearch.plugins import Plan, PluginHost
from toolsearch_hookspecs import Hooks, PluginError, hookimpl

mark = pluggy.HookimplMarker("toolsearch")


class UnknownHook:
    @hookimpl
    def toolsearch_tool_polices(self): ...


class UnknownUnmarked:
    def toolsearch_shut_down(self): ...


class UnknownByMark:
    @hookimpl
    def fill_the_shelf(self, plugin): ...


class NearByMark:
    @hookimpl
    def tool_sources(self, plugin): ...


class WithoutSelf:
    @hookimpl
    async def toolsearch_before_tool_call(call): ...  # noqa: N805


class WithoutAnything:
    @hookimpl
    async def toolsearch_shutdown(): ...


class Unmarked:
    async def toolsearch_tool_policy(self, run, tools, arguments): ...


class UnmarkedStatic:
    @staticmethod
    def toolsearch_event(event): ...


class UnknownArgument:
    @hookimpl
    async def toolsearch_tool_policy(self, run, tool): ...


class DefaultArgument:
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments=None): ...


class Catchall:
    @hookimpl
    async def toolsearch_tool_policy(self, **everything): ...


class KeywordOnly:
    @hookimpl
    async def toolsearch_tool_policy(self, *, tools): ...


class Wrapper:
    @mark(wrapper=True)
    def toolsearch_tool_policy(self, tools):
        yield


class OldWrapper:
    @mark(hookwrapper=True)
    def toolsearch_before_tool_call(self, call):
        yield


class First:
    @mark(tryfirst=True)
    async def toolsearch_tool_policy(self, tools): ...


class Last:
    @mark(trylast=True)
    def toolsearch_event(self, event): ...


class AsynchronousSource:
    @hookimpl
    async def toolsearch_tool_sources(self, plugin): ...


class AsynchronousGenerator:
    @hookimpl
    async def toolsearch_tool_sources(self, plugin):
        yield


class GeneratorPolicy:
    @hookimpl
    def toolsearch_tool_policy(self, tools):
        yield


class InlineCoroutine:
    @hookimpl(inline=True)
    async def toolsearch_rank(self, hits): ...


class InlineEvent:
    @hookimpl(inline=True)
    def toolsearch_event(self, event): ...


class Twice:
    @hookimpl
    def toolsearch_shutdown(self): ...

    @hookimpl(specname="toolsearch_shutdown")
    def another(self): ...


REFUSALS = {
    UnknownHook: "'toolsearch_tool_polices'; did you mean 'toolsearch_tool_policy'? Rename it",
    UnknownUnmarked: "unknown hook 'toolsearch_shut_down'; did you mean 'toolsearch_shutdown'?",
    UnknownByMark: "'fill_the_shelf' is marked with `@hookimpl`, and the contract has no such hook. Take",
    NearByMark: "no such hook; did you mean 'toolsearch_tool_sources'? Give it that name",
    WithoutSelf: "without `self`. Write async def toolsearch_before_tool_call(self, call)",
    WithoutAnything: "without `self`. Write async def toolsearch_shutdown(self)",
    Unmarked: "toolsearch_tool_policy is not marked",
    UnmarkedStatic: "toolsearch_event is not marked",
    UnknownArgument: "no argument 'tool'; did you mean 'tools'?",
    DefaultArgument: "'arguments' of toolsearch_tool_policy has a default",
    Catchall: "takes **everything",
    KeywordOnly: "takes tools",
    Wrapper: "declared as a wrapper",
    OldWrapper: "declared as a wrapper",
    First: "tryfirst",
    Last: "trylast",
    AsynchronousSource: "a synchronous hook, but is `async def`",
    AsynchronousGenerator: "a synchronous hook, but is `async def`",
    GeneratorPolicy: "is a generator",
    InlineCoroutine: "inline=True",
    InlineEvent: "inline=True",
    Twice: "implements toolsearch_shutdown twice",
}


@pytest.mark.parametrize("plugin", REFUSALS, ids=lambda plugin: plugin.__name__)
def test_what_does_not_fit_the_contract_is_refused_with_cause_and_cure(plugin: type):
    with pytest.raises(PluginError) as caught:
        PluginHost.load(Plan(), [("misfit", plugin)])
    text = str(caught.value)
    assert REFUSALS[plugin] in text
    assert "'misfit' (given by the program) is refused" in text
    assert text.rpartition(". ")[2]


class Fitting:
    """Every way of declaring that is right."""

    toolsearch_version = "a value with the prefix is no hook"

    @hookimpl
    async def toolsearch_tool_policy(self): ...

    @hookimpl
    def toolsearch_before_tool_call(self, call): ...

    @hookimpl(inline=True)
    def toolsearch_rank(self, hits, query): ...

    @hookimpl(specname="toolsearch_shutdown")
    async def closes(self): ...

    @staticmethod
    @hookimpl
    def toolsearch_event(event): ...

    @classmethod
    @hookimpl
    def toolsearch_commands(cls, plugin): ...


class Inheriting(Hooks):
    """The contract as a base class gives no implementation by itself."""

    @hookimpl
    def toolsearch_event(self, event): ...


def test_hooks_may_take_the_arguments_that_they_need_in_any_order():
    host = PluginHost.load(Plan(), [("fitting", Fitting)])
    assert host.hooks_of("fitting") == (
        "toolsearch_commands",
        "toolsearch_tool_policy",
        "toolsearch_rank",
        "toolsearch_before_tool_call",
        "toolsearch_event",
        "toolsearch_shutdown",
    )


def test_inheriting_the_contract_implements_nothing():
    host = PluginHost.load(Plan(), [("inheriting", Inheriting)])
    assert host.hooks_of("inheriting") == ("toolsearch_event",)
