"""`search`, `describe`, `call`, `code`, `stats`, `policy explain` and `doctor` over real tools."""

import json
import shutil
import subprocess
import sys

import pytest


def test_search_shows_the_best_tools_first_and_none_that_policy_denies(cli, shelf):
    found = cli(*shelf, "search", "shorten", "text")
    assert found.code == 0
    assert found.out.splitlines()[0] == "plugin:textwrap:shorten"
    assert "plugin:textwrap:fill" not in found.out
    told = cli(*shelf, "search", "shorten text", "--limit", "1", "--json").json
    assert [hit["id"] for hit in told["hits"]] == ["plugin:textwrap:shorten"]
    assert told["hits"][0]["input"] == "{ text: string; width: integer }"


def test_a_search_without_hits_says_how_to_go_on(cli, shelf):
    none = cli(*shelf, "search", "zzqqxx")
    assert (none.code, none.out) == (0, "")
    assert "nothing matched" in none.err
    assert cli(*shelf, "search", "zzqqxx", "--json").json["hits"] == []


def test_describe_shows_the_parameters_and_an_unknown_tool_the_nearest(cli, shelf):
    shown = cli(*shelf, "describe", "shorten")
    assert shown.out.splitlines()[0] == "plugin:textwrap:shorten"
    assert "width      integer  yes" in shown.out
    exact = cli(*shelf, "describe", "shorten", "--json").json
    assert exact["inputSchema"]["required"] == ["text", "width"]
    wrong = cli(*shelf, "describe", "shorte", "--json")
    assert wrong.code == 1
    assert wrong.json["error"]["code"] == "unknown_tool"
    assert "plugin:textwrap:shorten" in wrong.json["error"]["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["text=hello big wide world", "width=12"],
        ["text=hello big wide world", "width:=12"],
        ['{"text": "hello big wide world", "width": 12}'],
        ["{text: 'hello big wide world', width: 12}"],
    ],
)
def test_call_takes_pairs_or_one_object(cli, shelf, arguments):
    done = cli(*shelf, "call", "shorten", *arguments)
    assert (done.code, done.out) == (0, "hello [...]\n")


def test_call_takes_arguments_from_a_file(cli, shelf, place):
    (place / "arguments.json").write_text('{"text": "a b", "width": 9}')
    told = cli(*shelf, "call", "shorten", "@arguments.json", "--json").json
    assert told == {
        "tool": {"id": "plugin:textwrap:shorten", "name": "shorten", "source": "plugin"},
        "result": "a b",
    }


def test_a_call_with_wrong_arguments_is_not_executed_and_says_what_is_right(cli, shelf):
    done = cli(*shelf, "call", "shorten", "text=x")
    assert (done.code, done.out) == (1, "")
    assert "width" in done.err
    assert "Traceback" not in done.err
    told = cli(*shelf, "call", "shorten", "text=x", "--json")
    assert (told.code, told.json["error"]["code"]) == (1, "invalid_arguments")
    assert told.json["error"]["executed"] is False


def test_a_denied_tool_is_unknown_to_a_call_and_explained_to_the_operator(cli, shelf):
    assert cli(*shelf, "call", "plugin:textwrap:fill", "text=x", "--json").json["error"][
        "code"
    ] == ("unknown_tool")
    told = cli(*shelf, "policy", "explain", "plugin:textwrap:fill")
    assert told.code == 0
    assert told.out.splitlines()[0] == "plugin:textwrap:fill: denied"
    assert "decided at the level global" in told.out
    assert "This agent is not shown the tool" in told.out
    data = cli(*shelf, "policy", "explain", "wrap", "--json").json
    assert (data["tool"], data["verdict"], data["listed"]) == (
        "plugin:textwrap:wrap",
        "allow",
        True,
    )


def test_policy_explain_says_when_there_is_no_such_tool(cli, shelf):
    done = cli(*shelf, "policy", "explain", "wrapp")
    assert done.code == 1
    assert done.err == "error: no source has a tool wrapp; did you mean wrap?\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["call", "shorten", "nonsense"], "'nonsense' is not name=value"),
        (["call", "shorten", "[1]"], "'[1]' is not name=value"),
        (["call", "shorten", "{a: 1"], "the arguments:1:6: expected ',' or '}'"),
        (["call", "shorten", "n:=tru"], "n:1:1: expected a value"),
        (["call", "shorten", "@missing.json"], "missing.json: cannot be read"),
        (["code", "missing.js"], "missing.js: there is no such file"),
    ],
)
def test_arguments_that_cannot_be_read_are_a_usage_error(cli, shelf, arguments, said):
    done = cli(*shelf, *arguments)
    assert done.code == 2
    assert said in done.err


def test_stats_compares_direct_exposure_with_each_mode(cli, shelf):
    told = cli(*shelf, "stats", "--json").json
    assert told["catalog"]["bySource"] == [
        {"source": "plugin", "owner": "colorsys", "tools": 6},
        {"source": "plugin", "owner": "textwrap", "tools": 4},
    ]
    surfaces = {row["mode"]: row for row in told["surfaces"]}
    assert surfaces["direct"]["shown"] == 10
    assert surfaces["tools"]["shown"] == 3
    assert surfaces["tools"]["bytes"] < surfaces["direct"]["bytes"]
    shown = cli(*shelf, "stats").out.splitlines()
    assert shown[0].split() == ["SOURCE", "OWNER", "TOOLS"]
    assert shown[3].split() == ["all", "10"]


def test_stats_without_any_tools_says_so(cli):
    assert cli("stats").out.startswith("No source has any tools.")


def test_doctor_looks_at_everything(cli, shelf):
    told = cli(*shelf, "doctor", "--json").json
    assert told["started"]
    assert [source["state"] for source in told["sources"]] == ["up", "up"]
    assert told["findings"] == [each for each in told["findings"] if each["level"] != "error"]
    shown = cli(*shelf, "doctor")
    assert "Code runner" in shown.out
    assert "textwrap  up" in shown.out


def test_doctor_shows_a_server_that_is_down_whatever_a_run_may_hear_of_it(cli, place):
    (place / "down.json5").write_text(
        "{ mcpServers: { attic: { command: 'no-such-command' } }, tools: { deny: ['look'] } }"
    )
    done = cli("--config", "down.json5", "doctor", "--json")
    assert done.code == 1
    assert [(each["owner"], each["state"]) for each in done.json["sources"]] == [("attic", "down")]
    assert "attic" not in cli("--config", "down.json5", "search", "look", "--json").out


def test_doctor_says_what_keeps_the_host_from_starting(cli, place):
    (place / "bad.json5").write_text("{ stages: { index: 'index-whosh' } }")
    done = cli("--config", "bad.json5", "doctor")
    assert done.code == 1
    assert "does not start" in done.out
    assert "index-whosh" in done.err
    assert "index-whoosh" in done.err
    told = cli("--config", "bad.json5", "doctor", "--json")
    assert (told.code, told.json["started"]) == (1, False)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")


@needs_node
def test_code_prints_what_the_body_returns_and_its_logs_beside_it(cli, shelf, place):
    (place / "body.js").write_text(
        "console.warn('looking');\n"
        "const [hit] = await openclaw.tools.search('shorten text');\n"
        "const done = await openclaw.tools.call(hit.id, {text: 'a b c', width: 9});\n"
        "return done.result;\n"
    )
    done = cli(*shelf, "code", "body.js")
    if "unavailable" in done.err:
        pytest.skip("there is no isolated runtime here")
    assert (done.code, done.out) == (0, "a b c\n")
    assert "warn: looking" in done.err
    told = cli(*shelf, "code", "body.js", "--json").json
    assert (told["ok"], told["outcome"], told["value"]) == (True, "ok", "a b c")
    assert told["logs"] == [{"level": "warn", "text": "looking"}]
    assert "telemetry" in told


@needs_node
def test_code_that_fails_exits_with_1_and_says_the_line(cli, shelf, place):
    (place / "body.js").write_text("const a = 1;\nreturn a b;\n")
    done = cli(*shelf, "code", "body.js", "--json")
    told = json.loads(done.out)
    if told["outcome"] == "unavailable":
        pytest.skip("there is no isolated runtime here")
    assert (done.code, told["ok"], told["outcome"]) == (1, False, "syntax")
    assert told["error"]["name"] == "SyntaxError"
    assert told["error"]["line"] == 2


def test_code_without_an_isolated_runtime_says_so_and_what_to_do(cli, shelf, place):
    (place / "body.js").write_text("return 1")
    done = cli(*shelf, "--disable", "runner-node", "code", "body.js", "--json")
    assert done.code == 1
    assert (done.json["ok"], done.json["outcome"]) == (False, "unavailable")
    assert "toolsearch doctor" in done.json["error"]["message"]


def test_code_that_cannot_be_run_is_one_sentence_with_its_cure(cli, place):
    (place / "body.js").write_text("return 1")
    (place / "none.json5").write_text(
        '{ plugins: { settings: { "runner-node": { node: "/nowhere/node" } } } }'
    )
    done = cli("--config", "none.json5", "code", "body.js")
    assert done.code == 1
    (said,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert said.startswith("error: no body can be run here: the setting node (/nowhere/node)")
    assert said.endswith("`toolsearch doctor` says more")


def test_code_that_is_given_as_text_says_where_text_goes(cli):
    done = cli("code", "return 1")
    assert done.code == 2
    assert "return 1: there is no such file" in done.err
    assert "echo '...' | toolsearch code -" in done.err


@pytest.mark.parametrize(
    "words", [["search", "current time"], ["call", "foo"], ["describe", "foo"]]
)
def test_nothing_configured_does_not_look_like_a_bad_query(cli, words):
    done = cli(*words)
    assert "No source has any tools. There is no configuration file" in done.err
    assert "nothing matched" not in done.err


def test_what_serves_says_that_there_is_nothing_to_serve(process):
    done = process("serve", stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert "No source has any tools. There is no configuration file" in done.stderr


def test_what_serves_names_the_server_that_cannot_be_had(place):
    (place / "down.json5").write_text('{ mcpServers: { gone: { command: "no-such-command" } } }')
    words = [sys.executable, "-m", "toolsearch", "serve", "--config", "down.json5"]
    serving = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = serving.stderr.readline()
    serving.communicate("", timeout=60)
    assert line.startswith("warning: server gone is unavailable: ")
    assert serving.returncode == 0
