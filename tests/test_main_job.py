"""The main job: a Python function, a server's tool and a third party's tool, found, described and
called in `tools` and in `code` mode down one path, with hook and log seen exactly once each.
"""

import json
import sys

import pytest

from toolsearch_hookspecs import hookimpl

TOOLS = {
    "plugin:statistics:mean": ("mean of numbers", {"data": [1, 2, 6]}),
    "mcp:time:get_current_time": ("current time in a timezone", {"timezone": "Europe/Lisbon"}),
    "plugin:warehouse:stock_level": ("pieces of an article in stock", {"article": "A-100"}),
}
BODY = """
const out = {};
for (const [id, [query, args]] of Object.entries(TOOLS)) {
  const hits = await openclaw.tools.search(query);
  const tool = await openclaw.tools.describe(hits.find(hit => hit.id === id).id);
  out[id] = (await openclaw.tools.call(tool.id, args)).result;
}
return out;
"""


class Counts:
    def __init__(self):
        self.seen = []

    @hookimpl
    async def toolsearch_before_tool_call(self, call):
        self.seen.append(call.tool.id)


@pytest.fixture
async def world(started):
    config = {
        "tools": {"toolSearch": True},
        "mcpServers": {"time": {"command": sys.executable, "args": ["-m", "mcp_server_time"]}},
        "plugins": {
            "enabled": ["warehouse"],
            "settings": {"source-python": {"modules": ["statistics"]}},
        },
    }
    counts = Counts()
    host = await started(config, plugins=[("counts", counts)])
    host.counts = counts
    return host


def logged(host):
    """The ids of the finished calls in the session log."""
    files = sorted((host.state_dir / "log").glob("*.jsonl"))
    events = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [event["data"]["tool"] for event in events if event["type"] == "call.ended"]


async def test_all_three_kinds_of_tool_work_in_tools_mode(world):
    run = await world.plan(mode="tools")
    for tool_id, (query, args) in TOOLS.items():
        found = (await run.handle("tool_search", {"query": query})).value["hits"]
        assert tool_id in [hit["id"] for hit in found], query
        described = (await run.handle("tool_describe", {"id": tool_id})).value
        assert described["inputSchema"]["type"] == "object"
        result = await run.handle("tool_call", {"id": tool_id, "args": args})
        assert not result.is_error, result.text
        assert result.value["tool"]["id"] == tool_id
    await world.plugins.hooks.drain()
    assert world.counts.seen == list(TOOLS)
    assert logged(world) == list(TOOLS)


async def test_all_three_kinds_of_tool_work_in_code_mode(world):
    run = await world.plan(mode="code")
    assert run.mode == "code", run.diagnostics
    body = f"const TOOLS = {json.dumps(TOOLS)};{BODY}"
    result = await run.handle("tool_search_code", {"code": body})
    assert not result.is_error, result.text
    value = result.value["value"]
    assert value["plugin:statistics:mean"] == 3
    assert value["plugin:warehouse:stock_level"] == {"article": "A-100", "pieces": 12}
    assert "Lisbon" in json.dumps(value["mcp:time:get_current_time"])
    await world.plugins.hooks.drain()
    assert world.counts.seen == list(TOOLS)
    assert logged(world) == list(TOOLS)
