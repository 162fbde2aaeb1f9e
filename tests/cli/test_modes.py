"""A mode that nothing draws is said with its line, before anything is started."""

import pytest

from toolsearch.config import read_config, resolve_config

WRONG = """{
  tools: { toolSearch: { mode: "tool" } },
  agents: { writer: { toolSearch: { mode: "cod" } } },
}"""


@pytest.fixture
def wrong(place):
    file = place / "wrong.json5"
    file.write_text(WRONG)
    return ("--config", str(file))


def test_the_check_names_every_line_and_the_nearest_mode(cli, wrong):
    done = cli(*wrong, "config", "check")
    assert done.code == 2
    assert 'wrong.json5:2:32: tools.toolSearch.mode: unknown mode "tool"; did you mean' in done.err
    assert 'wrong.json5:3:43: agents.writer.toolSearch.mode: unknown mode "cod"' in done.err


@pytest.mark.parametrize("command", ["doctor", "stats", "serve", "gateway"])
def test_what_would_plan_a_run_by_it_says_so_before_sources_are_started(cli, wrong, command):
    done = cli(*wrong, command)
    assert done.code in {1, 2}
    assert 'wrong.json5:2:32: tools.toolSearch.mode: unknown mode "tool"' in done.err


def test_it_is_not_set_and_the_others_are_named(cli, place):
    assert cli("config", "set", "tools.toolSearch.mode", "tools").code == 0
    done = cli("config", "set", "tools.toolSearch.mode", "zzz")
    assert done.code == 2
    assert "there is code, direct, directory, tools" in done.err
    assert cli("config", "get", "tools.toolSearch.mode").out == "tools\n"


def test_direct_is_a_mode_that_turns_tool_search_off(cli, place):
    assert cli("config", "set", "tools.toolSearch.mode", "direct").code == 0
    assert "Mode           direct" in cli("doctor").out


def test_a_layer_above_may_turn_it_on_again():
    written = {
        "tools": {"toolSearch": {"mode": "direct"}},
        "agents": {"writer": {"toolSearch": {"mode": "tools"}}},
    }
    layers = resolve_config(read_config(written, {}), {}).layers
    assert not layers.settings(None, None, None).enabled
    assert layers.settings(None, "writer", None).enabled
    assert layers.settings(None, None, "code").enabled


def test_a_mode_of_a_plugin_that_is_held_back_is_not_taken_for_a_mistake(cli, place):
    (place / "toolsearch.json5").write_text(
        '{ tools: { toolSearch: { mode: "mine" } }, plugins: { enabled: ["mode-mine"] } }'
    )
    assert "unknown mode" not in cli("config", "check").err
