"""What the command line says when a plugin's own code fails, or is not there at all."""

import os
import re

import pytest

SOURCE = """
from toolsearch_hookspecs import SourceListing, ToolSource, ToolSpec, hookimpl


class Oops(ToolSource):
    name, kind, trusted, origin = "oops", "plugin", True, "here"

    async def start(self, changed):
        {start}

    async def list_tools(self, run):
        {listing}
        return SourceListing(generation="1", tools=[ToolSpec(name="boil")])

    async def call(self, call):
        {call}


class plugin:
    @hookimpl
    def toolsearch_tool_sources(self, plugin):
        yield Oops()
"""


def source(start="pass", listing="pass", call="return 212.0"):
    return SOURCE.format(start=start, listing=listing, call=call)


BEFORE = """
from toolsearch_hookspecs import hookimpl


class plugin:
    @hookimpl
    async def toolsearch_before_tool_call(self, call):
        raise ValueError("the rate is not known")
"""

SINK = """
from toolsearch_hookspecs import hookimpl


class plugin:
    @hookimpl
    def toolsearch_event(self, event):
        return event.data["no such key"]
"""

BY_NAME = """
from toolsearch_hookspecs import PolicyAnswer, Ruling, hookimpl


class plugin:
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        return PolicyAnswer(denied={t.name: Ruling(reason="x") for t in tools})
"""

HINT = "A plugin's own code failed; -v shows where."


@pytest.fixture
def with_oops(cli, third_party):
    """A command with the plugin `oops`, of the given source, enabled."""

    def with_oops(source, *command):
        third_party("oops", source)
        return cli("--enable", "oops", *command)

    return with_oops


def test_a_tool_that_raises_shows_its_own_line_to_who_asks_for_more(with_oops):
    done = with_oops(source(call="return {}['celsius']"), "-v", "call", "boil")
    assert done.code == 1
    assert "return {}['celsius']" in done.err
    assert "KeyError: 'celsius'" in done.err
    assert "_execute.py" not in done.err
    assert HINT not in done.err


def test_without_v_there_is_a_word_and_neither_message_nor_line(with_oops):
    done = with_oops(source(call="raise RuntimeError('celsius')"), "call", "boil", "--json")
    assert HINT in done.err
    assert "Traceback" not in done.out + done.err
    assert done.json["error"]["message"] == "the tool failed with RuntimeError"


def test_a_tool_that_fails_on_purpose_has_no_line_to_show(with_oops):
    raises = "from toolsearch_hookspecs import ToolError; raise ToolError('no such pot')"
    done = with_oops(source(call=raises), "-v", "call", "boil")
    assert "no such pot" in done.err
    assert "Traceback" not in done.err


def test_a_hook_that_raises_is_said_with_its_message_and_its_line_to_who_asks(cli, third_party):
    third_party("oops", source())
    third_party("hk", BEFORE)
    enabled = ("--enable", "oops", "--enable", "hk")
    done = cli(*enabled, "call", "boil")
    assert done.code == 1
    assert "hook toolsearch_before_tool_call: raised ValueError: the rate is not known" in done.err
    assert HINT in done.err
    shown = cli(*enabled, "-v", "call", "boil")
    assert 'raise ValueError("the rate is not known")' in shown.err


def test_a_source_that_cannot_list_is_said_with_its_line_to_who_asks(with_oops):
    done = with_oops(source(listing="1 / 0"), "-v", "search", "boil")
    assert "its list_tools raised ZeroDivisionError: division by zero" in done.err
    assert NOWHERE not in done.err
    assert "1 / 0" in done.err


def test_a_sink_that_fails_is_told_by_every_command_and_by_doctor(cli, third_party):
    third_party("oops", source())
    third_party("sink", SINK)
    enabled = ("--enable", "oops", "--enable", "sink")
    done = cli(*enabled, "call", "boil")
    assert (done.code, done.out) == (0, "212.0\n")
    said = "hook toolsearch_event: raised KeyError: 'no such key' (open: logged)"
    assert done.err.count(said) == 1
    found = [each["message"] for each in cli(*enabled, "doctor", "--json").json["findings"]]
    assert any(said in message for message in found)
    assert "Nothing is wrong" not in cli(*enabled, "doctor").out


def test_a_start_that_raises_is_told_by_every_command_and_makes_doctor_fail(with_oops, cli):
    done = with_oops(source(start="raise OSError('no disk')"), "call", "boil")
    assert (done.code, done.out) == (0, "212.0\n")
    said = "source oops did not start: its start raised OSError: no disk"
    assert said in done.err
    looked = cli("--enable", "oops", "doctor")
    assert looked.code == 1
    assert said in looked.out


def test_a_policy_that_answers_by_names_denies_and_says_so_once(cli, shelf, third_party):
    third_party("oops", BY_NAME)
    done = cli(*shelf, "--enable", "oops", "call", "wrap", "text=x")
    assert done.code == 1
    assert done.err.count("is the id of no tool it was asked about") == 1
    assert re.search(r"Policy denies this agent all tools \(\d+\)", done.err)


NOWHERE = "No source has any tools."


@pytest.mark.parametrize(
    "command", [("search", "notes"), ("call", "boil"), ("stats",), ("doctor",)]
)
def test_where_there_is_nothing_to_find_the_plugins_that_nobody_enabled_are_named(
    cli, third_party, command
):
    third_party("markdown-notes", source())
    done = cli(*command)
    said = done.out + done.err
    assert NOWHERE in said
    assert "Installed, but not enabled:" in said
    assert "markdown-notes" in said
    enabled = cli("--enable", "markdown-notes", *command)
    assert NOWHERE not in enabled.out + enabled.err


def test_where_there_is_nothing_to_find_a_configuration_that_is_not_trusted_is_named(
    cli, place, third_party
):
    third_party("markdown-notes", source())
    (place / "toolsearch.json5").write_text("{ plugins: { enabled: ['markdown-notes'] } }")
    said = cli("search", "notes").err
    assert "The configuration was found and is not trusted: `toolsearch config trust`." in said
    cli("config", "trust")
    assert cli("search", "boil").out.startswith("plugin:oops:boil")


def test_doctor_counts_what_policy_denies_of_each_source(cli, shelf):
    told = cli(*shelf, "doctor", "--json").json
    reasons = {each["owner"]: (each["tools"], each["reason"]) for each in told["sources"]}
    assert reasons["textwrap"] == (4, "policy denies 1 of 5")
    assert reasons["colorsys"][1] is None


def test_a_valid_configuration_that_is_not_trusted_is_said_to_be_both(cli, place):
    (place / "toolsearch.json5").write_text("{ plugins: { enabled: ['policy-rules'] } }")
    assert "toolsearch.json5 is valid, but not trusted" in cli("config", "check").out
    assert cli("config", "check", "--json").json["trusted"] is False
    named = cli("--config", "toolsearch.json5", "config", "check")
    assert named.out == "toolsearch.json5 is valid\n"


def test_settings_of_a_plugin_that_nobody_enabled_are_met_with_the_likelier_cure(
    cli, place, third_party
):
    third_party("markdown-notes", source())
    (place / "c.json5").write_text("{plugins: {settings: {'markdown-notes': {folder: 'x'}}}}")
    done = cli("--config", "c.json5", "config", "check")
    assert "name markdown-notes in plugins.enabled where it is to be loaded" in done.err


BROKEN = "def plugin(:\n"


@pytest.mark.parametrize(
    "command",
    [("config", "check"), ("plugins", "--loaded"), ("plugins", "check", "oops"), ("call", "x")],
)
def test_a_plugin_that_cannot_be_imported_is_said_once(place, third_party, process, command):
    third_party("oops", BROKEN)
    done = process("--enable", "oops", *command, env=environment(place))
    assert done.returncode in {1, 2}
    assert done.stderr.count("raised SyntaxError: invalid syntax") == 1
    assert "_importing.py" not in done.stderr


def environment(place):
    return {**os.environ, "PYTHONPATH": str(place.parent / "site")}
