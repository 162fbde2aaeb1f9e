from __future__ import annotations

import logging

import pytest

from toolsearch import tracebacks
from toolsearch.isolation import contained_now
from toolsearch_hookspecs import PluginError, ToolError

from .conftest import Hosted, Site, call, event, plugin_with
from .test_loading import load


def failing(self, **given):
    return {}["the missing key"]


def before(self, call):
    return failing(self)


def sink(self, event):
    return failing(self)


async def test_a_failing_hook_leaves_a_traceback_of_the_plugins_own_lines_for_who_asks(
    hosted: Hosted,
):
    host = hosted(a=plugin_with(toolsearch_before_tool_call=before))
    with tracebacks.collected() as texts:
        await host.hooks.before(call())
    (text,) = texts
    assert "plugin 'a'" in text.splitlines()[0]
    assert 'return {}["the missing key"]' in text
    assert "_dispatch.py" not in text


async def test_nobody_is_shown_a_traceback_who_did_not_ask(hosted: Hosted, caplog):
    caplog.set_level(logging.INFO)
    host = hosted(a=plugin_with(toolsearch_before_tool_call=before))
    outcome = await host.hooks.before(call())
    assert "the missing key" not in outcome.denied.value.reason
    assert "Traceback" not in caplog.text


async def test_a_sink_that_fails_at_every_event_leaves_one_traceback(hosted: Hosted):
    host = hosted(a=plugin_with(toolsearch_event=sink))
    with tracebacks.collected() as texts:
        for seq in range(5):
            host.hooks.emit(event(seq))
        await host.hooks.drain()
    assert len(texts) == 1


def test_an_import_that_fails_leaves_a_traceback_without_the_importers_frames(site: Site):
    site.host()
    module = site.plugin("broken", "def inner():\n    raise ValueError('no')\ninner()")
    with tracebacks.collected() as texts, pytest.raises(PluginError):
        load(site, enabled=("broken",))
    (text,) = texts
    assert f"{module}.py" in text.splitlines()[2]
    assert "importlib" not in text


def test_what_is_raised_on_purpose_has_no_traceback_to_show():
    with tracebacks.collected() as texts:
        tracebacks.note("a tool failed", ToolError("no such note"))
    assert texts == []


def test_a_traceback_cannot_act_on_a_terminal():
    def hostile() -> None:
        raise ValueError("\x1b[31mred\x1b[0m")

    failure = contained_now(hostile).failure
    assert "\x1b" not in tracebacks.shown(failure)


def test_what_cannot_even_be_printed_is_shown_by_its_class():
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    def raising() -> None:
        raise Odd

    assert "Odd" in tracebacks.shown(contained_now(raising).failure)
