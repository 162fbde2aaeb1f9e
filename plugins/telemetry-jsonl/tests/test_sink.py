"""Writing the log."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from toolsearch_hookspecs import ToolsearchError

from .events_of import NOON, Log, event

posix = pytest.mark.skipif(os.name != "posix", reason="modes and limits of POSIX")


def test_an_event_is_one_line_of_json_with_its_version(tmp_path):
    log = Log(tmp_path)
    log.write(event("search", {"call": "c1", "hits": 3, "limit": 8, "ms": 1.0}, {"query": "x"}))
    (line,) = log.lines
    assert line == {
        "v": 1,
        "type": "search",
        "at": "2026-12-01T12:00:00.001+00:00",
        "seq": 1,
        "run": "run-1",
        "session": "s1",
        "agent": "clerk",
        "data": {"call": "c1", "hits": 3, "limit": 8, "ms": 1.0},
    }


@posix
def test_files_and_folders_are_the_owners_alone(tmp_path):
    log = Log(tmp_path)
    log.write(event("search"))
    for path in (log.file, log.folder, log.folder.parent):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@posix
def test_a_file_that_others_may_read_is_closed_to_them(tmp_path):
    log = Log(tmp_path)
    log.folder.mkdir(parents=True)
    log.file.touch(mode=0o644)
    log.file.chmod(0o644)
    log.write(event("search"))
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600


def test_each_day_has_its_file_and_old_days_are_forgotten(tmp_path):
    log = Log(tmp_path, keep_days=2)
    stranger = tmp_path / "state" / "log" / "2020-01-01.jsonl"
    for day in range(4):
        log.write(event("search", days=day))
    stranger.write_text("somebody else's")
    log.write(event("search", days=4))
    assert sorted(path.name for path in log.folder.iterdir()) == [
        "2020-01-01.jsonl",
        "toolsearch-2026-12-04.jsonl",
        "toolsearch-2026-12-05.jsonl",
    ]


def test_log_path_may_name_a_folder_or_one_file_relative_to_the_configuration(tmp_path):
    Log(tmp_path, path="logs").write(event("search"))
    Log(tmp_path, path="logs/session.jsonl").write(event("search"))
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {
        "toolsearch-2026-12-01.jsonl",
        "session.jsonl",
    }


def test_the_one_file_is_put_aside_when_its_day_is_over(tmp_path):
    log = Log(tmp_path, path="session.jsonl")
    log.write(event("search"))
    yesterday = datetime.timestamp(NOON)
    os.utime(tmp_path / "session.jsonl", (yesterday, yesterday))
    log.write(event("describe", days=1))
    assert "search" in (tmp_path / "session.2026-12-01.jsonl").read_text()
    assert "describe" in (tmp_path / "session.jsonl").read_text()


def test_a_file_that_was_moved_away_is_begun_anew(tmp_path):
    log = Log(tmp_path)
    log.write(event("search"))
    log.file.rename(tmp_path / "elsewhere.jsonl")
    log.write(event("describe"))
    assert [line["type"] for line in log.lines] == ["describe"]


def test_a_line_that_a_killed_process_left_torn_does_not_swallow_the_next(tmp_path):
    log = Log(tmp_path)
    log.folder.mkdir(parents=True)
    log.file.write_bytes(b'{"v":1,"type":"sear')
    log.write(event("describe"))
    torn, whole = log.file.read_text().splitlines()
    assert torn == '{"v":1,"type":"sear'
    assert json.loads(whole)["type"] == "describe"


def test_a_line_that_another_process_is_writing_is_not_cut(tmp_path, monkeypatch):
    log = Log(tmp_path)
    log.folder.mkdir(parents=True)
    log.file.write_bytes(b'{"v":1,"type":"sear')

    def written(seconds):
        with log.file.open("ab") as file:
            file.write(b'ch"}\n')

    monkeypatch.setattr("toolsearch_telemetry_jsonl._appending.time.sleep", written)
    log.write(event("describe"))
    assert [line["type"] for line in log.lines] == ["search", "describe"]


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from events_of import Log, event
log = Log(Path(sys.argv[2]), content=True)
for seq in range(200):
    log.write(event("search", {"call": "x" * 300}, {"query": "y" * 9000}, seq=seq, run=sys.argv[3]))
"""


def test_lines_of_several_processes_do_not_mix(tmp_path):
    here = str(Path(__file__).parent)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, here, str(tmp_path), name])
        for name in ("a", "b", "c")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    lines = Log(tmp_path).lines
    assert sorted((line["run"], line["seq"]) for line in lines) == [
        (name, seq) for name in ("a", "b", "c") for seq in range(200)
    ]


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from events_of import Log, event
from toolsearch_hookspecs import ToolsearchError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = Log(Path(sys.argv[2]))
log.write(event("search"))
resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.RLIM_INFINITY))
said = []
for _ in range(5):
    try:
        log.write(event("search"))
    except ToolsearchError as error:
        said.append(str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.write(event("describe"))
print(len(said), said[0])
"""


@posix
def test_a_full_disk_is_said_once_and_writing_goes_on_when_there_is_room(tmp_path):
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", FULL, here, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("1 the session log in")
    assert "set log.path" in done.stdout
    lines = Log(tmp_path).file.read_text().splitlines()
    assert json.loads(lines[0])["type"] == "search"
    assert json.loads(lines[-1])["type"] == "describe"


def test_a_place_that_cannot_be_written_is_said_once(tmp_path):
    (tmp_path / "taken").write_text("a file where the folder should be")
    log = Log(tmp_path, path="taken")
    with pytest.raises(ToolsearchError, match="cannot be written"):
        log.write(event("search"))
    log.write(event("search"))


@posix
def test_a_link_is_not_followed(tmp_path):
    log = Log(tmp_path)
    log.folder.mkdir(parents=True)
    log.file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolsearchError):
        log.write(event("search"))
    assert not (tmp_path / "elsewhere").exists()
