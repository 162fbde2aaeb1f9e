"""The options of `toolsearch` itself: before or behind any command's name, and never lost."""

import json

import pytest

from toolsearch.reference._commands import commands

COMMANDS = {
    name.removeprefix("toolsearch ")
    for name, command in commands()
    if not hasattr(command, "commands")
}
READ_NO_FILE = {"demo", "docs", "new-plugin", "completion", "log tail", "plugins check"}
NEEDS = {
    "search": ["x"],
    "describe": ["x"],
    "call": ["x"],
    "code": [__file__],
    "policy explain": ["x"],
    "config get": ["tools"],
    "config set": ["tools.toolSearch", "true", "--string"],
    "config unset": ["tools"],
}

SPEAKER = """
from toolsearch_hookspecs import Command, Parameter, hookimpl


async def say(context, values):
    async with context.host() as host:
        found = sorted(tool.id for tool in await host.all_tools())
    context.show({"word": values["word"], "tools": found})


class plugin:
    @hookimpl
    def toolsearch_commands(self, plugin):
        word = Parameter(name="word")
        rest = Parameter(name="rest", kind="argument")
        yield Command(name="say", help="Say.", run=say, parameters=(word, rest))
        yield Command(name="speech say", help="Say.", run=say, parameters=(word,))
"""

HIDING = """
from toolsearch_hookspecs import Command, Parameter, hookimpl


async def run(context, values):
    context.show(values)


class plugin:
    @hookimpl
    def toolsearch_commands(self, plugin):
        config = Parameter(name="config")
        yield Command(name="hide", help="Hide.", run=run, parameters=(config,))
"""


@pytest.fixture
def one_tool(tmp_path):
    file = tmp_path / "one.json5"
    file.write_text("""{
      tools: { deny: ["rgb_to_hsv"] },
      plugins: { settings: { "source-python": { modules: [
        { module: "colorsys", functions: ["hsv_to_rgb"] } ] } } },
    }""")
    return str(file)


@pytest.mark.parametrize("name", sorted(COMMANDS - READ_NO_FILE - {"config set", "plugins"}))
def test_a_file_that_is_not_there_is_an_error_behind_every_command(cli, name):
    done = cli(*name.split(), *NEEDS.get(name, ()), "--config", "absent.json5")
    assert done.code == (1 if name == "doctor" else 2), done.err
    assert "absent.json5: there is no such file" in done.out + done.err


def test_a_plugins_command_works_by_the_file_that_is_named_behind_it(cli, third_party, one_tool):
    third_party("speaker", SPEAKER)
    tools = ["plugin:colorsys:hsv_to_rgb"]
    for words in (
        ["say", "--enable", "speaker", "--config", one_tool],
        ["say", f"--config={one_tool}", "--enable=speaker"],
        ["say", "--word", "hi", "--config", one_tool, "--enable", "speaker"],
        ["speech", "--config", one_tool, "say", "--enable", "speaker"],
        ["--enable", "speaker", "speech", "say", "--config", one_tool],
    ):
        done = cli(*words, "--json")
        assert done.code == 0, done.err
        assert done.json["tools"] == tools, words


def test_a_file_named_behind_a_plugins_command_wins_over_the_one_that_stands_here(
    cli, place, third_party, one_tool
):
    third_party("speaker", SPEAKER)
    (place / "toolsearch.json5").write_text("{")
    done = cli("say", "--enable", "speaker", "--config", one_tool, "--json")
    assert done.json["tools"] == ["plugin:colorsys:hsv_to_rgb"]


def test_where_a_value_looks_like_an_option_of_ours_nothing_is_run(cli, third_party, one_tool):
    third_party("speaker", SPEAKER)
    done = cli("--enable", "speaker", "say", "--word", "--config", one_tool)
    assert (done.code, done.out) == (2, "")
    assert "put --config, --enable and --disable first" in done.err
    plain = cli("--enable", "speaker", "--config", one_tool, "say", "--json", "--", "--config", "x")
    assert plain.code == 2
    assert cli("--enable", "speaker", "say", "--word", "--enable").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["approvals", "list", "--config", ""], "--config names no file"),
        (["approvals", "list", "--config="], "--config names no file"),
        (["--config", "", "search", "x"], "--config names no file"),
        (["--config", "a", "approvals", "list", "--config", "b"], "with a and with b"),
        (["search", "x", "--config", "a", "--config", "b"], "with a and with b"),
        (["--config", "a", "--config", "b", "stats"], "with a and with b"),
        (["approvals", "list", "--confg", "a"], "No such option '--confg'"),
        (["search", "x", "--limit", "1", "--limit", "2"], "--limit is given twice"),
        (["approvals", "approve", "x", "--scope", "once", "--scope", "always"], "--scope is given"),
    ],
)
def test_an_option_is_never_dropped_in_silence(cli, words, said):
    done = cli(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_plugins_that_are_named_in_several_places_are_all_taken(cli):
    rows = cli("--disable", "mode-code", "plugins", "--disable", "mode-tools", "--json").json
    disabled = {row["name"] for row in rows["plugins"] if row["state"] == "disabled"}
    assert disabled == {"mode-code", "mode-tools"}


def test_a_command_that_would_hide_an_option_of_ours_is_refused_by_name(cli, third_party):
    third_party("hiding", HIDING)
    done = cli("--enable", "hiding", "hide")
    assert done.code == 2
    assert "the command 'hide' of the plugin 'hiding' has an option --config" in done.err


def test_examples_stand_in_the_help_line_by_line(cli):
    shown = cli("call", "--help").out
    assert "\n  toolsearch call plugin:statistics:mean data:='[1, 2, 3]'\n" in shown
    assert "\\b" not in shown + cli("search", "--help").out + cli("completion", "--help").out


def test_the_variable_names_the_file_for_plugins_commands_too(cli, monkeypatch):
    monkeypatch.setenv("TOOLSEARCH_CONFIG", "absent.json5")
    for words in (["approvals", "list"], ["log", "stats"], ["search", "x"]):
        assert cli(*words, "--json").json["error"]["type"] == "config"
    assert "absent.json5" in json.dumps(cli("gateway", "--json", "--port", "0").json)


@pytest.mark.parametrize("name", ["TOOLSEARCH_CONFG", "TOOLSEARCH_CONFIG_FILE", "TOOLSEARH_CONFIG"])
def test_a_misspelt_variable_is_named_with_what_was_meant(cli, monkeypatch, name):
    monkeypatch.setenv(name, "strict.json5")
    monkeypatch.setenv("TOOLSEARCH_GATEWAY_KEY", "k")
    said = [line for line in cli("config", "show").err.splitlines() if "variable" in line]
    (line,) = said
    assert line.startswith(f"warning: the environment variable {name} is read by nobody")
    assert "TOOLSEARCH_CONFIG" in line.partition("did you mean")[2]


def test_a_variable_of_plugins_that_says_nothing_is_an_error(cli, monkeypatch):
    monkeypatch.setenv("TOOLSEARCH_PLUGINS_PINS", "index-fts5=1")
    done = cli("search", "x")
    assert done.code == 2
    assert "TOOLSEARCH_PLUGINS_PINS says nothing; there is TOOLSEARCH_PLUGINS_ENABLED" in done.err


def test_the_demo_takes_no_configuration_and_says_so(cli, one_tool):
    done = cli("demo", "--config", one_tool)
    assert (done.code, done.out) == (2, "")
    assert "--mcp-config FILE" in done.err
