"""`toolsearch config`: what it finds, shows, changes and refuses."""

import json
import stat

import pytest


def test_set_tool_search_true_makes_the_file_and_it_is_trusted(cli, place):
    done = cli("config", "set", "tools.toolSearch", "true")
    assert (done.code, done.out) == (0, "")
    assert done.err == "set tools.toolSearch in toolsearch.json5\n"
    assert (place / "toolsearch.json5").read_text() == "{\n  tools: { toolSearch: true },\n}\n"
    assert cli("config", "show", "--json").json == {
        "path": str(place / "toolsearch.json5"),
        "trusted": True,
        "config": {"tools": {"toolSearch": True}},
    }


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("true", True),
        ("{ mode: 'tools' }", {"mode": "tools"}),
        ('{enabled: false, mode: "code"}', {"enabled": False, "mode": "code"}),
    ],
)
def test_a_value_is_json5(cli, place, value, meant):
    assert cli("config", "set", "tools.toolSearch", value).code == 0
    assert cli("config", "get", "tools.toolSearch", "--json").json["value"] == meant


def test_a_plain_word_is_text_and_a_list_is_a_list(cli, place):
    assert cli("config", "set", "tools.toolSearch.mode", "tools").code == 0
    assert cli("config", "set", "tools.deny", '["git_reset"]').code == 0
    assert cli("config", "set", "tools.deny[1]", "git_clean").code == 0
    assert cli("config", "set", "--string", "log.path", "5").code == 0
    assert (place / "toolsearch.json5").read_text() == (
        '{\n  tools: { toolSearch: { mode: "tools" }, deny: ["git_reset", "git_clean"] },\n'
        '  log: { path: "5" },\n}\n'
    )


def test_a_value_that_is_broken_json5_is_refused_with_its_place(cli, place):
    done = cli("config", "set", "tools.deny", '["a"')
    assert done.code == 2
    assert done.err == (
        "error: VALUE:1:5: expected ',' or ']' (opened at 1:1), found the end of the file\n"
    )
    assert not (place / "toolsearch.json5").exists()


def test_a_set_that_the_host_could_not_use_leaves_the_file_alone(cli, place):
    file = place / "toolsearch.json5"
    file.write_text("{ /* mine */ }")
    done = cli("config", "set", "tools.toolSerch", "true")
    assert done.code == 2
    assert done.err == (
        'error: toolsearch.json5:2:12: tools.toolSerch: unknown key; did you mean "toolSearch"?\n'
        "toolsearch.json5 was left as it was\n"
    )
    assert file.read_text() == "{ /* mine */ }"


def test_a_key_of_a_plugin_is_checked_by_its_plugin(cli, place):
    done = cli("config", "set", "plugins.settings.runner-node.pol", "2")
    assert done.code == 2
    assert 'plugins.settings.runner-node.pol: unknown key; did you mean "pool"?' in done.err


def test_rules_cannot_be_left_without_a_policy_plugin(cli, place):
    assert cli("config", "set", "tools.deny", '["x"]').code == 0
    done = cli("config", "set", "plugins.disabled", '["policy-rules"]')
    assert done.code == 2
    assert "refuses to start rather than ignore its rules" in done.err


def test_an_unknown_plugin_name_is_refused_with_the_nearest(cli, place):
    done = cli("config", "set", "plugins.disabled", '["polcy-rules"]')
    assert done.code == 2
    assert 'plugins.disabled[0]: unknown plugin "polcy-rules"; did you mean "policy-rules"?' in (
        done.err
    )


def test_unset_takes_a_key_out_and_says_when_it_is_not_there(cli, place):
    (place / "toolsearch.json5").write_text("{\n  // why\n  log: { content: true },\n}\n")
    assert cli("config", "unset", "log").code == 0
    assert (place / "toolsearch.json5").read_text() == "{\n  // why\n}\n"
    gone = cli("config", "unset", "log")
    assert gone.code == 2
    assert gone.err == "error: toolsearch.json5: log is not set\n"


def test_get_prints_the_value_the_default_or_fails(cli, place):
    cli("config", "set", "tools.toolSearch", "{ mode: 'tools' }")
    assert cli("config", "get", "tools.toolSearch.mode").out == "tools\n"
    assert cli("config", "get", "tools.toolSearch.maxSearchLimit").out == "20\n"
    assert cli("config", "get", "tools.limits.loopGuard", "--json").json == {
        "key": "tools.limits.loopGuard",
        "value": 3,
        "from": None,
    }
    missing = cli("config", "get", "tools.nothing")
    assert (missing.code, missing.out) == (1, "")
    assert missing.err == "error: tools.nothing is not set, and has no default\n"


def test_show_says_where_each_value_stands_and_hides_secrets(cli, place):
    (place / "toolsearch.json5").write_text(
        '{ mcpServers: { a: { command: "x", env: { TOKEN: "hunter2", REF: "${REF}" } } } }'
    )
    shown = cli("config", "show")
    assert "hunter2" not in shown.out
    lines = [line.split() for line in shown.out.splitlines()]
    assert lines == [
        ["KEY", "VALUE", "FROM"],
        ["mcpServers.a.command", '"x"', "toolsearch.json5:1:31"],
        ["mcpServers.a.env.TOKEN", '"***"', "toolsearch.json5:1:50"],
        ["mcpServers.a.env.REF", '"${REF}"', "toolsearch.json5:1:66"],
    ]
    assert "its servers are not started" in shown.err
    everything = cli("config", "show", "--all", "--json")
    assert "hunter2" not in everything.out
    assert everything.json["config"]["tools"]["limits"]["loopGuard"] == 3


def test_show_and_path_say_that_there_is_no_file_and_what_makes_one(cli, place, tmp_path):
    assert cli("config", "show").out.startswith("No configuration file")
    missing = cli("config", "path")
    assert missing.code == 1
    assert missing.err.splitlines() == [
        "error: there is no configuration file. Looked for:",
        f"  {place / 'toolsearch.json5'}",
        f"  {tmp_path / 'own' / 'toolsearch.json5'}",
        "`toolsearch config set tools.toolSearch true` makes one here",
    ]
    assert cli("config", "path", "--json").json["path"] is None


def test_check_tells_every_problem_and_fails_with_2(cli, place):
    file = place / "toolsearch.json5"
    file.write_text("{\n  tools: { toolSerch: true },\n  log: { keepDays: 'x' },\n}")
    done = cli("config", "check")
    assert done.code == 2
    assert done.err.splitlines() == [
        'toolsearch.json5:2:12: tools.toolSerch: unknown key; did you mean "toolSearch"?',
        "toolsearch.json5:3:20: log.keepDays: should be a whole number",
        "toolsearch.json5: 2 problems",
    ]
    told = cli("config", "check", "--json")
    assert (told.code, told.json["ok"], len(told.json["problems"])) == (2, False, 2)
    file.write_text("{ tools: { toolSearch: { codeTimeoutMs: 1 } } }")
    clamped = cli("config", "check")
    assert (clamped.code, clamped.out) == (0, "toolsearch.json5 is valid\n")
    assert "tools.toolSearch.codeTimeoutMs: 1 is outside 1000..60000; 1000 is used" in clamped.err


def test_broken_json5_is_one_line_with_line_and_column_for_every_command(cli, place):
    (place / "toolsearch.json5").write_text("{\n  tools: {\n    deny: []\n    ask: [],\n  }\n}")
    said = "toolsearch.json5:4:5: expected ',' or '}' (opened at 2:10), found 'a'"
    for command in (["config", "show"], ["config", "check"], ["search", "x"], ["doctor"]):
        done = cli(*command)
        assert said in done.err
        assert "Traceback" not in done.err
    done = cli("search", "x", "--json")
    assert (done.code, done.json) == (2, {"error": {"type": "config", "message": said}})


def test_a_named_file_that_is_not_there_says_so(cli, place):
    done = cli("--config", "nowhere.json5", "search", "x")
    assert done.code == 2
    assert "nowhere.json5: there is no such file" in done.err
    assert cli("config", "set", "tools.toolSearch", "true", "--config", "new.json5").code == 0
    assert (place / "new.json5").exists()


def test_the_users_own_file_can_be_edited_from_anywhere(cli, tmp_path):
    assert cli("config", "set", "--user", "log.keepDays", "7").code == 0
    own = tmp_path / "own" / "toolsearch.json5"
    assert own.read_text() == "{\n  log: { keepDays: 7 },\n}\n"
    assert cli("config", "path").out == f"{own}\n"


def test_trust_says_what_is_trusted_and_holds_until_the_file_changes(cli, place, tmp_path):
    file = place / "toolsearch.json5"
    file.write_text('{ mcpServers: { git: { command: "git-server", args: ["--token=abc123"] } } }')
    assert cli("config", "show", "--json").json["trusted"] is False
    trusted = cli("config", "trust")
    assert trusted.code == 0
    assert trusted.out.splitlines() == [
        "toolsearch.json5 is trusted as it is now; it may",
        "  start the server git: git-server --token=***",
        "  choose how tools are shown, found and allowed",
        "until it changes, or `toolsearch config trust --forget` takes that back.",
    ]
    assert "is not trusted" not in cli("config", "show").err
    assert cli("config", "show", "--json").json["trusted"] is True
    cli("config", "set", "log.keepDays", "3")
    assert cli("config", "show", "--json").json["trusted"] is True
    file.write_text(file.read_text() + " ")
    assert cli("config", "show", "--json").json["trusted"] is False
    assert "and has changed since it was trusted: its servers" in cli("config", "show").err
    cli("config", "trust")
    assert cli("config", "trust", "--forget").out == "toolsearch.json5 is no longer trusted\n"
    assert cli("config", "show", "--json").json["trusted"] is False
    assert "and is not trusted: its servers" in cli("config", "show").err
    assert cli("config", "trust", "--forget", "--json").json["trusted"] is False
    store = tmp_path / "state" / "trust.json"
    assert stat.S_IMODE(store.stat().st_mode) == 0o600


def test_the_schema_names_the_keys_of_host_and_plugins(cli):
    schema = json.loads(cli("config", "schema").out)
    assert {"tools", "mcpServers", "agents", "plugins", "stages"} <= set(schema["properties"])
    assert {"toolSearch", "deny", "limits"} <= set(schema["properties"]["tools"]["properties"])


def test_check_names_the_unknown_keys_of_a_server_and_says_what_is_another_clients(cli, place):
    (place / "mine.json5").write_text(
        '{ mcpServers: { a: { command: "x", arg: [], alwaysAllow: ["q"] } } }'
    )
    done = cli("config", "check", "--config", "mine.json5")
    assert (done.code, done.out) == (0, "mine.json5 is valid\n")
    assert "warning: mcpServers.a.arg: unknown key" in done.err
    assert 'did you mean "args"?' in done.err
    assert "note: mcpServers.a.alwaysAllow: another client's auto-approval" in done.err
    quiet = cli("stats", "--config", "mine.json5")
    assert "arg: unknown key" in quiet.err
    assert "alwaysAllow" not in quiet.err


def test_one_mistake_hides_no_other(cli, place):
    (place / "mine.json5").write_text("""{
      plugins: { pins: { "index-fts5": "9.9" }, enabled: ["nobody"] },
      tools: { toolSearch: { moed: "tools" } },
      agents: { x: { alow: [] } },
      mcpServers: { a: { comand: "python" } },
    }""")
    done = cli("--config", "mine.json5", "config", "check", "--json")
    assert done.code == 2
    places = [line.split(": ")[1] for line in done.json["problems"]]
    assert places == [
        "plugins.enabled[0]",
        "tools.toolSearch.moed",
        "agents.x.alow",
        "mcpServers.a",
    ]


def test_a_plugin_that_is_not_as_pinned_is_told_once_where_the_pin_stands(cli, place):
    (place / "mine.json5").write_text('{\n  plugins: { pins: { "index-fts5": "0.1.0" } },\n}')
    done = cli("--config", "mine.json5", "config", "check")
    assert done.code == 2
    (line, count) = done.err.splitlines()
    assert line.startswith("mine.json5:2:36: plugins.pins.index-fts5: the plugin 'index-fts5'")
    assert "such as 'toolsearch-index-fts5==" in line
    assert count == "mine.json5: 1 problem"
    assert cli("--config", "mine.json5", "search", "x").code == 2


def test_a_plugin_that_is_not_loaded_may_be_the_one_that_reads_a_key(cli, place):
    (place / "mine.json5").write_text('{ plugins: { enabled: ["nobody"] }, nobodys: { a: 1 } }')
    (problem,) = cli("--config", "mine.json5", "config", "check", "--json").json["problems"]
    assert "unknown plugin" in problem


def test_the_check_warns_of_a_group_that_nobody_defines_and_doctor_does_not_call_it_well(
    cli, place
):
    (place / "toolsearch.json5").write_text("""{
      tools: { toolSearch: { mode: "tools" }, deny: ["group:nosuch"] },
      agents: { clerk: { ask: ["group:fss"] } },
    }""")
    done = cli("config", "check")
    assert done.code == 0
    assert "tools.deny.0 (toolsearch.json5:2:54): no group 'group:nosuch' is defined" in done.err
    assert "agents.clerk.ask.0 (toolsearch.json5:3:32): no group 'group:fss'" in done.err
    assert "did you mean 'group:fs'?" in done.err
    doctor = cli("doctor").out
    assert doctor.count("no group 'group:nosuch' is defined") == 1
    assert "no group 'group:fss' is defined" in doctor
    assert "Nothing is wrong." not in doctor


def test_a_group_that_a_tool_brings_is_well_for_doctor(cli, place):
    (place / "toolsearch.json5").write_text("""{
      tools: { toolSearch: { mode: "tools" } },
      agents: { clerk: { deny: ["group:Prose"] } },
      plugins: { settings: { "source-python": {
        modules: [{ module: "textwrap", groups: ["prose"] }] } } },
    }""")
    assert cli("config", "trust").code == 0
    assert "unless a tool brings it" in cli("config", "check").err
    assert "Nothing is wrong." in cli("doctor").out


def test_a_set_in_a_file_that_is_not_trusted_says_what_is_not_used_and_how_to_trust_it(cli, place):
    servers = "{ mcpServers: { clock: { command: 'x' } } }"
    (place / "toolsearch.json5").write_text(servers)
    done = cli("config", "set", "tools.toolSearch", "true")
    assert done.code == 0
    assert "is not trusted: its servers are not started" in done.err
    assert "run `toolsearch config trust`" in done.err
    assert cli("config", "trust").code == 0
    assert "trusted" not in cli("config", "set", "tools.toolSearch", "false").err
    (place / "toolsearch.json5").write_text(servers)
    done = cli("config", "set", "mcpServers.clock.command", "y", "--json")
    assert "has changed since it was trusted: its servers are not started" in done.err
    assert done.json["key"] == "mcpServers.clock.command"
    named = cli("--config", "toolsearch.json5", "config", "set", "tools.toolSearch", "true")
    assert "trusted" not in named.err


def test_editing_a_file_that_nobody_trusts_loads_no_plugin_that_it_names(
    cli, place, tmp_path, third_party
):
    noted = tmp_path / "noted"
    third_party(
        "rogue",
        f"""
from pathlib import Path

Path({str(noted)!r}).write_text("it was imported")


class plugin:
    pass
""",
    )
    text = '{ plugins: { enabled: ["rogue"], settings: { rogue: { program: "steal.sh" } } } }'
    (place / "toolsearch.json5").write_text(text)
    for command in (["set", "log.keepDays", "3"], ["unset", "log.keepDays"], ["check"]):
        cli("config", *command)
        assert not noted.exists(), command
    assert "keepDays" not in (place / "toolsearch.json5").read_text()
