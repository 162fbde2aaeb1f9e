from __future__ import annotations

import json
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from toolsearch_hookspecs import ConfigError
from toolsearch_serve_mcp import ServeSettings
from toolsearch_serve_mcp._http import is_loopback, token_of, token_path

TOKEN = "a-token-of-sixteen-or-more"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}


@pytest.fixture
def address(serving, monkeypatch):
    monkeypatch.setenv("TOOLSEARCH_SERVE_TOKEN", TOKEN)
    return serving.http()


@asynccontextmanager
async def connected(address: str, era: str):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(address, http_client=http), mode=era) as client,
    ):
        yield client


def text(result) -> str:
    return result.content[0].text


async def test_clients_of_both_eras_are_served_at_once_and_do_not_see_each_other(address):
    async with connected(address, "legacy") as one, connected(address, "2026-07-28") as other:
        for client in (one, other):
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == ["tool_search", "tool_describe", "tool_call"]
        call = {"id": "long_note", "args": {"size": 200_000}}
        long = json.loads(text(await one.call_tool("tool_call", call)))
        there = {"id": "openclaw:toolsearch:read_result", "args": next_piece(long["note"])}
        assert "xxx" in text(await one.call_tool("tool_call", there))
        stolen = await other.call_tool("tool_call", there)
        assert stolen.is_error
        assert "xxx" not in text(stolen)


def next_piece(note: str) -> dict[str, object]:
    """The arguments with which a note says to read on."""
    return json.loads(note[note.index("{") :])


async def test_who_does_not_know_the_token_or_comes_from_elsewhere_is_refused(address):
    known = HEADERS | {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient() as client:

        async def status(headers) -> int:
            return (await client.post(address, json=DISCOVER, headers=headers)).status_code

        assert await status(HEADERS) == 401
        assert await status(HEADERS | {"Authorization": "Bearer nearly-the-token-but-not"}) == 401
        assert await status(known | {"Host": "evil.example"}) == 421
        assert await status(known | {"Origin": "http://evil.example"}) == 403
        assert await status(known) == 200


def test_a_token_is_made_once_and_kept_for_its_owner_alone(tmp_path):
    settings = ServeSettings()
    made = token_of(settings, {}, tmp_path / "state")
    assert len(made) >= 32
    assert token_of(settings, {}, tmp_path / "state") == made
    assert token_path(tmp_path / "state").stat().st_mode & 0o077 == 0


def test_a_short_token_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="at least 16"):
        token_of(ServeSettings(), {"TOOLSEARCH_SERVE_TOKEN": "short"}, tmp_path)


def test_only_a_loopback_address_may_go_without_a_token(serving):
    process = serving.start(
        "--http", "--host", "0.0.0.0", "--no-auth", stderr=-1, stdout=-1, text=True
    )
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "--no-auth is for a loopback address" in errors
    assert is_loopback("127.0.0.1")
    assert not is_loopback("0.0.0.0")
