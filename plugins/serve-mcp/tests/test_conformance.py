"""The protocol's own conformance runner against the server, over streamable HTTP.

It needs a newer Node than most have; npm has that too. What it asks for beside these scenarios
does not apply: resources, prompts, completion, logging and sampling are not offered, and images,
audio and embedded resources are shown to a model as stand-ins.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "node@26.10.0")
RUNNER = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSTALL_SECONDS = 150
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)


@pytest.fixture(scope="module")
def runner() -> list[str]:
    """The command line of the runner, installed once into a temporary folder."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = Path(tempfile.gettempdir()) / f"toolsearch-conformance-{os.getuid()}"
    if not (folder / "complete").exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        argv = [npm, "install", "--no-audit", "--no-fund", "--prefix", folder, *PACKAGES]
        try:
            subprocess.run(argv, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"npm cannot be reached ({type(error).__name__})")
        (folder / "complete").touch()
    node = folder / "node_modules" / "node" / "bin" / "node"
    if not node.exists():
        pytest.skip("npm has no Node for this machine")
    return [str(node), str(folder / RUNNER)]


def test_the_scenarios_that_apply_pass(serving, runner):
    done = subprocess.run(
        [*runner, "server", "--url", serving.http("--no-auth")],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=serving.folder,
    )
    ended = dict(re.findall(r"^[✓✗] ([a-z0-9-]+): \d+ passed, (\d+) failed$", done.stdout, re.M))
    assert {scenario: ended.get(scenario) for scenario in SCENARIOS} == dict.fromkeys(
        SCENARIOS, "0"
    )
