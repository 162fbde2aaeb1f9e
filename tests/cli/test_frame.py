"""The frame of the command line: help, errors, streams, exit codes, commands of plugins."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from toolsearch.cli._app import BUILTIN

GREETER = """
from toolsearch_hookspecs import Command, Parameter, hookimpl


async def greet(context, values):
    async with context.host() as host:
        tools = await host.all_tools()
    context.show({"hello": values["name"], "loud": values["loud"], "tools": len(tools)},
                 text=f"hello {values['name']}\\x1b[2J")


async def mode(context, values):
    async with context.host() as host:
        run = await host.plan()
        context.show(run.mode)


async def rows(context, values):
    context.show([{"id": number, "times": values["times"]} for number in range(2)])


async def broken(context, values):
    raise RuntimeError("out of greetings")


class plugin:
    @hookimpl
    def toolsearch_commands(self, plugin):
        name = Parameter(name="name", kind="argument", required=True)
        loud = Parameter(name="loud", kind="flag", help="Shout.")
        times = Parameter(name="times", type="int", default=3)
        yield Command(name="greet", help="Say hello.", run=greet, parameters=(name, loud))
        yield Command(name="mode", help="Say the mode.", run=mode, turns_on=True)
        yield Command(name="quiet", help="Say the mode.", run=mode)
        yield Command(name="greetings list", help="List.", run=rows, parameters=(times,))
        yield Command(name="greetings lose", help="Lose.", run=broken)
        yield Command(name="config", help="Take our place.", run=broken)
"""

FAULTY = """
from toolsearch_hookspecs import hookimpl


class plugin:
    @hookimpl
    def toolsearch_commands(self, plugin):
        raise ZeroDivisionError("no commands today")
"""


def test_help_lists_our_commands_by_purpose(cli):
    shown = cli("--help")
    assert shown.code == 0
    for word in ("Tools:", "search", "Deployment:", "config", "doctor", "--json", "--config FILE"):
        assert word in shown.out
    assert cli("-h").out == shown.out
    assert cli().code == 2


@pytest.mark.parametrize("word", sorted(BUILTIN))
def test_every_command_of_the_table_is_there_and_says_what_it_does(cli, word):
    shown = cli(word, "--help")
    assert shown.code == 0
    assert shown.out.startswith(f"Usage: toolsearch {word}")


def test_a_misspelt_command_option_or_argument_is_one_message_and_2(cli):
    word = cli("serch", "x")
    assert word.code == 2
    assert word.err == (
        "error: there is no command 'serch'; did you mean 'search'?\nSee `toolsearch --help`.\n"
    )
    option = cli("search", "x", "--limt", "3")
    assert option.code == 2
    assert "--limit" in option.err
    missing = cli("search", "--json")
    assert (missing.code, missing.json["error"]["type"]) == (2, "usage")


def test_version_is_the_distributions(cli):
    assert cli("--version").out.startswith("toolsearch ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_each_shell(cli, shell):
    assert "_TOOLSEARCH_COMPLETE" in cli("completion", shell).out


def test_the_shell_is_offered_our_words(process, place):
    done = process(
        env={
            **os.environ,
            "_TOOLSEARCH_COMPLETE": "bash_complete",
            "COMP_WORDS": "toolsearch co",
            "COMP_CWORD": "1",
        }
    )
    assert done.stdout.split() == ["plain,code", "plain,completion", "plain,config"]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["plugins"], ["config", "set", "tools.toolSearch", "true"]]
)
def test_help_plugins_and_config_import_nothing_heavy(place, arguments):
    program = (
        "import sys; from toolsearch.cli._app import run\n"
        f"code = run({arguments!r})\n"
        "heavy = {'mcp', 'whoosh', 'numpy', 'httpx', 'mcp_types'} & set(sys.modules)\n"
        "sys.exit(code or (str(heavy) if heavy else 0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[1:]) == (0, [])


def test_help_does_not_load_the_host_once_it_knows_what_plugins_bring(cli, place):
    cli("--help")
    program = (
        "import sys; from toolsearch.cli._app import run\n"
        "code = run(['--help'])\n"
        "print(sorted({'pydantic', 'toolsearch.host'} & set(sys.modules)), file=sys.stderr)"
    )
    first = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    again = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert first.stdout == again.stdout
    assert again.stderr == "[]\n"


def test_plugins_lists_everything_with_the_configuration_broken(cli, place):
    (place / "toolsearch.json5").write_text("{")
    done = cli("plugins")
    assert done.code == 0
    assert "toolsearch.json5:1:2: expected a key" in done.err
    assert "policy-rules" in done.out
    told = cli("plugins", "--json")
    names = {row["name"]: row["state"] for row in told.json["plugins"]}
    assert names["policy-rules"] == "loaded"
    assert told.json["configProblem"].startswith("toolsearch.json5:1:2")


def test_plugins_follows_the_options_of_the_command_line(cli):
    rows = {
        row["name"]: row
        for row in cli("plugins", "--disable", "mode-code", "--json").json["plugins"]
    }
    assert (rows["mode-code"]["state"], rows["mode-code"]["reason"]) == (
        "disabled",
        "disabled by the command line",
    )


def test_an_unknown_plugin_on_the_command_line_is_an_error_with_a_suggestion(cli):
    done = cli("search", "x", "--enable", "mode-cod")
    assert done.code == 2
    assert "names the unknown plugin 'mode-cod'" in done.err
    assert "mode-code" in done.err


def test_a_plugins_commands_stand_beside_ours_in_groups(cli, third_party):
    third_party("greeter", GREETER)
    enable = ("--enable", "greeter")
    listed = cli(*enable, "--help").out
    assert "From plugins:" in listed
    assert "greet      Say hello." in listed
    assert "greetings  list, lose." in listed
    assert "Take our place" not in listed
    said = cli(*enable, "greet", "you")
    assert (said.code, said.out) == (0, "hello you\n")
    told = cli(*enable, "greet", "you", "--loud", "--json").json
    assert (told["hello"], told["loud"]) == ("you", True)
    rows = cli(*enable, "greetings", "list")
    assert rows.out.splitlines() == ["ID  TIMES", "0   3", "1   3"]
    assert cli(*enable, "greetings", "list", "--times", "x").code == 2
    assert cli(*enable, "config", "--help").out.count("Show, check and edit") == 1


def test_a_command_that_needs_tool_search_has_it_on_unless_the_file_says_no(
    cli, place, third_party
):
    third_party("greeter", GREETER)
    assert cli("--enable", "greeter", "quiet").out == "direct\n"
    assert cli("--enable", "greeter", "mode").out in {"code\n", "tools\n"}
    (place / "toolsearch.json5").write_text("{tools: {toolSearch: false}}")
    assert cli("--enable", "greeter", "mode").out == "direct\n"


def test_a_command_that_breaks_says_whose_it_is_and_breaks_nothing_else(cli, third_party):
    third_party("greeter", GREETER)
    done = cli("--enable", "greeter", "greetings", "lose")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the command 'greetings lose' of the plugin 'greeter' failed: "
        "RuntimeError: out of greetings; -v shows where\n"
    )
    with pytest.raises(RuntimeError, match="out of greetings"):
        cli("--enable", "greeter", "-v", "greetings", "lose")


def test_a_plugin_that_cannot_say_its_commands_leaves_those_of_the_others(cli, third_party):
    third_party("greeter", GREETER)
    third_party("faulty", FAULTY)
    enable = ("--enable", "greeter", "--enable", "faulty")
    shown = cli(*enable, "--help")
    assert shown.code == 0
    assert "greet      Say hello." in shown.out
    assert "Traceback" not in shown.err
    assert cli(*enable, "greet", "you").code == 0
    told = cli(*enable, "-v", "greet", "you")
    assert "no commands today" in told.err
    assert "'faulty'" in told.err


def test_help_works_with_a_broken_configuration_and_says_why_plugins_are_missing(cli, place):
    (place / "toolsearch.json5").write_text("{")
    shown = cli("--help")
    assert shown.code == 0
    assert "search" in shown.out
    assert "The commands of plugins are not listed: toolsearch.json5:1:2" in shown.err


def test_a_bug_of_ours_shows_its_traceback(cli, monkeypatch):
    def bug(session):
        raise AssertionError("a bug")

    monkeypatch.setattr("toolsearch.cli._session.Session.search", bug)
    with pytest.raises(AssertionError, match="a bug"):
        cli("config", "path")


def test_a_reader_that_goes_away_is_no_error_of_ours(place, shelf):
    done = subprocess.run(
        f"{sys.executable} -m toolsearch config schema | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "{"
    assert done.stderr == ""


def test_interrupting_a_command_ends_it_with_130_and_no_traceback(place, third_party, tmp_path):
    slow = """
import asyncio, pathlib
from toolsearch_hookspecs import Command, hookimpl

async def wait(context, values):
    pathlib.Path("started").write_text("x")
    try:
        await asyncio.Event().wait()
    finally:
        pathlib.Path("closed").write_text("x")

class plugin:
    @hookimpl
    def toolsearch_commands(self, plugin):
        yield Command(name="wait", help="Wait.", run=wait)
"""
    third_party("waiter", slow)
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    running = subprocess.Popen(
        [sys.executable, "-m", "toolsearch", "--enable", "waiter", "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        # a test run in the background of a shell ignores the signal, and its children with it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not (place / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert err.strip() == "interrupted"
    assert (place / "closed").exists()


def test_what_a_tool_says_cannot_act_on_the_terminal(cli, third_party):
    hostile = GREETER.replace("hello {values['name']}", "a\\x1b]0;t\\x07b\\u202ec\\u200bd")
    third_party("greeter", hostile)
    plain = cli("--enable", "greeter", "greet", "you").out
    assert plain == "abcd\n"
    told = cli("--enable", "greeter", "greet", "a\u202eb\x9bc", "--json")
    assert "\u202e" not in told.out
    assert "\x9b" not in told.out
    assert json.loads(told.out)["hello"] == "a\u202eb\x9bc"
