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
