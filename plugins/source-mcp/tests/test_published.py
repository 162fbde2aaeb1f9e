"""Published servers, as they are installed."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from toolsearch_hookspecs import ErrorCode


def installed(module: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(module) is None
    return pytest.mark.skipif(missing, reason=f"{module} is not installed")


@installed("mcp_server_time")
async def test_the_time_server_lists_and_answers(servers):
    (source,) = await servers.open(
        {"time": {"command": sys.executable, "args": ["-m", "mcp_server_time"]}}
    )
    assert await servers.names(source) == {"get_current_time", "convert_time"}
    result = await servers.call(source, "get_current_time", timezone="UTC")
    assert result.value["timezone"] == "UTC"
    wrong = await servers.call(source, "get_current_time", timezone="Nowhere/Land")
    assert wrong.error.code is ErrorCode.TOOL_ERROR


@installed("mcp_server_git")
async def test_the_git_server_lists_and_answers(servers):
    (source,) = await servers.open(
        {"git": {"command": sys.executable, "args": ["-m", "mcp_server_git"]}}
    )
    assert "git_status" in await servers.names(source)
    result = await servers.call(source, "git_status", repo_path=str(servers.folder))
    assert result.is_error


async def test_the_everything_server_answers_in_every_shape_it_has(servers, npm_commands):
    (source,) = await servers.open(
        {"all": {"command": str(npm_commands / "mcp-server-everything")}}
    )
    assert {"echo", "get-sum", "get-tiny-image"} <= await servers.names(source)
    assert (await servers.call(source, "echo", message="hi")).value == "Echo: hi"
    assert "5" in (await servers.call(source, "get-sum", a=2, b=3)).value
    image = (await servers.call(source, "get-tiny-image")).value[1]
    assert (image["type"], image["omitted"]) == ("image", True)
    structured = await servers.call(source, "get-structured-content", location="Chicago")
    assert set(structured.value) == {"temperature", "conditions", "humidity"}


async def test_the_filesystem_server_reads_what_it_may(servers, npm_commands):
    (servers.folder / "note.txt").write_text("hello")
    (source,) = await servers.open(
        {
            "fs": {
                "command": str(npm_commands / "mcp-server-filesystem"),
                "args": ["${workspaceFolder}"],
            }
        }
    )
    tools = {tool.name: tool for tool in (await servers.listing(source)).tools}
    assert tools["read_text_file"].annotations.read_only is True
    read = await servers.call(source, "read_text_file", path=str(servers.folder / "note.txt"))
    assert read.value == {"content": "hello"}
    assert (await servers.call(source, "read_text_file", path="/etc/passwd")).is_error


async def test_the_memory_server_keeps_what_it_is_told(servers, npm_commands):
    (source,) = await servers.open(
        {
            "memory": {
                "command": str(npm_commands / "mcp-server-memory"),
                "env": {"MEMORY_FILE_PATH": "${workspaceFolder}/memory.json"},
            }
        }
    )
    entity = {"name": "ada", "entityType": "person", "observations": ["wrote notes"]}
    await servers.call(source, "create_entities", entities=[entity])
    graph = await servers.call(source, "read_graph")
    assert graph.value["entities"] == [entity]
    assert (servers.folder / "memory.json").exists()


async def test_the_sequential_thinking_server_thinks(servers, npm_commands):
    (source,) = await servers.open(
        {"think": {"command": str(npm_commands / "mcp-server-sequential-thinking")}}
    )
    thought = {"thought": "t", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
    assert (await servers.call(source, "sequentialthinking", **thought)).value["thoughtNumber"] == 1
