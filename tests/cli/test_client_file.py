"""The JSON that the tutorial gives to an MCP client, played by a real one from another folder."""

import json
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PAGE = Path(__file__).parents[2] / "docs/tutorials/mcp-servers.md"
BLOCK = re.compile(r"^```(\w+)(?: title=\"[^\"]+\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(find_spec("mcp_server_time") is None, reason="needs mcp-server-time")
async def test_the_clients_json_of_the_tutorial_serves_the_file_it_names(place, tmp_path):
    blocks = BLOCK.findall(PAGE.read_text())
    ours, theirs = (
        next(text for kind, text in blocks if kind == word) for word in ("json5", "json")
    )
    file = tmp_path / "you" / "toolsearch.json5"
    file.parent.mkdir()
    file.write_text(ours)
    server = json.loads(theirs.replace("/home/you/", f"{file.parent}/"))["mcpServers"]["tools"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    started = StdioServerParameters(
        command=server["command"], args=server["args"], env={**os.environ, "PATH": path}, cwd="/"
    )
    async with stdio_client(started) as streams, ClientSession(*streams) as client:
        await client.initialize()
        shown = {tool.name for tool in (await client.list_tools()).tools}
        assert shown == {"tool_search", "tool_describe", "tool_call"}
        found = await client.call_tool("tool_search", {"query": "current time"})
        assert "mcp:clock:get_current_time" in found.content[0].text
        call = {"id": "mcp:clock:convert_time", "args": {}}
        denied = await client.call_tool("tool_call", call)
        assert "unknown_tool" in denied.content[0].text
