import os
import sys
from pathlib import Path

from toolsearch.testing import ToolSourceConformance
from toolsearch_source_mcp import plugin

ROGUE = Path(__file__).with_name("rogue.py")


class TestServer(ToolSourceConformance):
    plugin = plugin
    settings = {"shutdownMs": 500, "firstBackoffMs": 50}  # noqa: RUF012
    claimed = {"mcpServers": {"rogue": {"command": sys.executable, "args": [str(ROGUE)]}}}  # noqa: RUF012
    environ = {"PATH": os.environ["PATH"]}  # noqa: RUF012
    example = ("echo", {"text": "hello"})
