"""A command that is asked to terminate closes what it started, as one that runs to its end does."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

# It neither answers nor heeds the end of its input.
STUBBORN = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
while True:
    time.sleep(60)
"""
PATIENCE_S = 60


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("command", [["search", "anything"], ["doctor"], ["stats"]])
def test_a_server_that_heeds_nothing_ends_with_the_command(command, tmp_path):
    noted = tmp_path / "pid"
    server = {"command": sys.executable, "args": ["-c", STUBBORN, str(noted)]}
    config = tmp_path / "toolsearch.json5"
    config.write_text(json.dumps({"mcpServers": {"stubborn": server}}))
    process = subprocess.Popen(
        [sys.executable, "-m", "toolsearch", "--config", str(config), *command],
        env=os.environ | {"TOOLSEARCH_STATE_DIR": str(tmp_path / "state")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        pid = int(waited_for(lambda: noted.exists() and noted.read_text()))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM, said.decode()
    assert b"Traceback" not in said
    waited_for(lambda: not alive(pid))


def waited_for(what):
    until = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
