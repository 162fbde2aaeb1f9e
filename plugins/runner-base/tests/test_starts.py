"""What may be started: the program that was probed, under Landlock, and the loader that it names."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from toolsearch_runner_base._launch import launched
from toolsearch_runner_base.runtime import Identity
from toolsearch_runner_base.supervisor._confine import Bounds, Layers, _elsewhere, confine
from toolsearch_runner_base.supervisor._elf import interpreter
from toolsearch_runner_base.supervisor._landlock import ruleset


def started(target: str, program: str, files: tuple[str, ...]) -> str:
    """Start `target` under rules that are made for `program` and its files; why that failed."""
    rules = ruleset(files, program)
    parent = os.getpid()

    def attempt() -> None:
        confine(Bounds(Layers.parse(["landlock"]), 0, rules=rules), parent=parent)
        os.execv(target, [target])

    return _elsewhere(attempt)


def test_under_landlock_only_the_program_itself_can_be_started():
    true, false = (os.path.realpath(shutil.which(name)) for name in ("true", "false"))
    files = (true, false, os.path.realpath(interpreter(true)))
    assert started(true, true, files) == ""
    assert "Permission denied" in started(false, true, files)
    assert started(false, false, files) == ""


def test_the_loader_of_a_program_is_the_one_that_the_kernel_starts(engine, tmp_path):
    mapped = Path("/proc/self/maps").read_text()
    assert os.path.realpath(interpreter(sys.executable)) in mapped
    assert Path(interpreter(engine.path)).is_file()
    script = tmp_path / "script"
    for content in (b"#!/bin/sh\n", b"", b"\x7fELF\x02" + b"\xff" * 59, b"\x7fELF\x02" + bytes(59)):
        script.write_bytes(content)
        assert interpreter(str(script)) == ""
    assert interpreter(str(tmp_path / "nothing")) == ""


def test_a_start_whose_channel_was_lost_on_the_way_fails_and_the_supervisor_goes_on():
    ours, process, words = launched()
    try:
        ours.settimeout(60)
        for number in (1, 2):
            ours.sendall(json.dumps({"op": "start", "id": number}).encode() + b"\n")
            event = json.loads(ours.recv(65_536))
            assert (event["event"], event["id"], event["busy"]) == ("failed", number, True)
        assert process.poll() is None
    finally:
        ours.close()
        words.close()
        assert process.wait(60) == 0


def test_a_file_that_another_took_the_place_of_is_another_though_a_link_still_leads_to_it(tmp_path):
    real, moved, link = tmp_path / "node", tmp_path / "node-22", tmp_path / "linked"
    real.write_text("one")
    link.symlink_to(real)
    found = Identity.of(str(link))
    assert found.unchanged()
    real.rename(moved)
    link.unlink()
    link.symlink_to(moved)
    assert not found.unchanged()
    real.write_text("another")
    assert not found.unchanged()
