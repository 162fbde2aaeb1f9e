"""What the host expects of every source, of a server over stdio."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from toolsearch.testing import ToolSourceConformance
from toolsearch_source_mcp import plugin

ROGUE = str(Path(__file__).with_name("rogue.py"))


class TestServer(ToolSourceConformance):
    plugin = plugin
    claimed = {"mcpServers": {"rogue": {"command": sys.executable, "args": [ROGUE]}}}  # noqa: RUF012
    environ = {"PATH": os.environ["PATH"]}  # noqa: RUF012
    example = ("echo", {"text": "hello"})


class TestServerOfTheNewEra(TestServer):
    claimed = {  # noqa: RUF012
        "mcpServers": {
            "rogue": {"command": sys.executable, "args": [ROGUE, "--eras", "modern"]},
        }
    }
