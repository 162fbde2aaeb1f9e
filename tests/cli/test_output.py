"""What a person reads at 80 columns, and what a program reads in a pipe."""

import os
import pty
import subprocess
import sys

import pytest

from toolsearch.cli._tables import aligned, print_fitted

TITLES = ("order", "plugin", "state", "distribution", "version", "why")
ROWS = [
    ("1", "approval-console", "loaded", "toolsearch-approval-console", "0.1.0", "battery"),
    ("2", "cedar-policy", "not enabled", "cedar", "1.0", "no battery; name it in plugins.enabled"),
]


@pytest.fixture
def shown(monkeypatch, capsys):
    def shown(titles, rows, width=80):
        monkeypatch.setenv("COLUMNS", str(width))
        print_fitted(titles, rows)
        lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        assert max(map(len, lines)) <= width
        return lines

    return shown


def test_a_last_column_without_room_stands_below_and_no_name_is_cut(shown):
    assert shown(TITLES, ROWS) == [
        "order  plugin            state        distribution                 version",
        "1      approval-console  loaded       toolsearch-approval-console  0.1.0",
        "    battery",
        "2      cedar-policy      not enabled  cedar                        1.0",
        "    no battery; name it in plugins.enabled",
    ]


def test_a_last_column_with_room_is_wrapped_beside_the_others(shown):
    lines = shown(("parameter", "meaning"), [("zone", "a name of a zone, " * 6), ("a" * 30, "b")])
    assert lines[1].startswith("zone" + " " * 28 + "a name of a zone")
    assert lines[2].startswith(" " * 32)
    assert shown(TITLES, ROWS, width=200)[1].endswith("0.1.0    battery")


def test_columns_that_have_no_room_at_all_are_folded(shown):
    lines = shown(("key", "value", "from"), [("k" * 30, "v" * 90, "file:1:1")])
    assert "".join(lines).count("v") == 91


def test_a_pipe_has_a_line_a_row_and_nothing_is_cut():
    lines = list(aligned(("a", "b"), [("x" * 100, "y"), ("z", "")]))
    assert lines == ["A" + " " * 101 + "B", "x" * 100 + "  y", "z"]


def test_an_error_is_broken_between_words_at_a_terminal_and_not_in_a_pipe(place):
    words = [sys.executable, "-m", "toolsearch", "approvals", "show", "nothing", "--config"]
    words.append("a" * 60)
    piped = subprocess.run(words, capture_output=True, text=True, check=False)
    assert len(piped.stderr.splitlines()) == 1
    ours, theirs = pty.openpty()
    running = subprocess.Popen(words, stderr=theirs, env={**os.environ, "COLUMNS": "80"})
    os.close(theirs)
    seen = b""
    while True:
        try:
            chunk = os.read(ours, 65_536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    running.wait(timeout=60)
    os.close(ours)
    lines = seen.decode().replace("\r", "").splitlines()
    assert len(lines) > 1
    assert "there is no such file" in " ".join(" ".join(lines).split())
