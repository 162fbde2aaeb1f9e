"""What a person first tries at the command line, and what is said when that is not how it goes."""

import sys


def test_a_word_that_is_no_parameter_is_named_though_the_schema_takes_any(cli, place):
    server = f"{{ command: {sys.executable!r}, args: ['-m', 'mcp_server_time'] }}"
    (place / "clock.json5").write_text(f"{{ mcpServers: {{ clock: {server} }} }}")
    done = cli("--config", "clock.json5", "call", "get_current_time", "tz=UTC")
    assert done.code == 1
    assert "- `timezone` is required" in done.err
    assert "- `tz` is not a known field" in done.err


def test_a_word_that_the_schema_refuses_is_named_once(cli, shelf):
    done = cli(*shelf, "call", "shorten", "text=a", "wdth:=9")
    assert done.err.count("`wdth`") == 1


def test_arguments_that_are_piped_are_read_where_a_dash_says_so(process, shelf):
    piped = process(*shelf, "call", "shorten", input='{"text": "a b", "width": 9}')
    assert piped.returncode == 1
    assert "toolsearch call plugin:textwrap:shorten -" in piped.stderr
    read = process(*shelf, "call", "shorten", "-", input='{"text": "a b", "width": 9}')
    assert (read.returncode, read.stdout) == (0, "a b\n")


def test_a_body_that_is_piped_is_read_where_a_dash_says_so(cli, shelf):
    done = cli(*shelf, "code")
    assert done.code == 2
    assert "echo '...' | toolsearch code -" in done.err


def test_one_word_for_a_list_is_answered_with_how_the_list_is_written(cli, place):
    assert cli("config", "set", "tools.deny", '["git_push"]').code == 0
    done = cli("config", "set", "tools.deny", "git_reset")
    assert done.code == 2
    assert """toolsearch config set tools.deny '["git_push", "git_reset"]'""" in done.err
    assert "A list" not in cli("config", "set", "tools.deny", "{a: 1}").err
