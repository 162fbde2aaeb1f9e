from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from toolsearch_hookspecs import ErrorCode, SourceUnavailable, ToolError

SERVER = Path(__file__).with_name("http_server.py")


class HttpServer:
    """The SDK's own server in a process that can be killed and started again."""

    def __init__(self, notes: Path, token: str, *flags: str) -> None:
        self.notes = notes
        self.token = token
        self.flags = flags
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.kill()
        argv = [sys.executable, str(SERVER), str(self.port), str(self.notes), self.token]
        await asyncio.to_thread(self._spawn, [*argv, *self.flags])

    def _spawn(self, argv: list[str]) -> None:
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE)
        self.port = int(self._process.stdout.readline())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def log(self) -> list[str]:
        return self.notes.read_text().splitlines() if self.notes.exists() else []


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Servers by their arguments, started once; one that was killed is started again."""
    servers = {}
    yield servers
    for server in servers.values():
        server.kill()


@pytest.fixture
async def http(running, tmp_path_factory, request):
    token, *flags = getattr(request, "param", ["none"])
    server = running.get((token, *flags))
    if server is None:
        notes = tmp_path_factory.mktemp("http") / "notes"
        server = running[token, *flags] = HttpServer(notes, token, *flags)
    await server.start()
    server.notes.unlink(missing_ok=True)
    return server


both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])
both_shapes = pytest.mark.parametrize("http", [["none"], ["none", "--json"]], indirect=True)


async def opened(servers, http, era, **server):
    (source,) = await servers.open({"web": {"url": http.url, "protocol": era, **server}})
    return source


@both_eras
@both_shapes
async def test_tools_of_a_url_are_listed_and_called_in_both_eras(servers, http, era):
    source = await opened(servers, http, era)
    assert {"add", "wait", "die"} <= await servers.names(source)
    assert (await servers.call(source, "add", a=1, b=2)).value == {"result": 3}
    assert ("POST 2026-07-28" in http.log) == (era == "modern")


@both_eras
@both_shapes
async def test_a_server_that_dies_in_a_call_is_an_error_and_the_next_call_works(servers, http, era):
    source = await opened(servers, http, era)
    await servers.listing(source)
    with pytest.raises(ToolError, match="may have taken effect"):
        await servers.call(source, "die")
    http.kill()
    await http.start()
    assert (await servers.call(source, "add", a=1, b=2)).value == {"result": 3}


@both_eras
async def test_a_server_that_is_away_is_unavailable_and_comes_back_by_itself(servers, http, era):
    source = await opened(servers, http, era)
    await servers.listing(source)
    http.kill()
    with pytest.raises(SourceUnavailable):
        await servers.call(source, "add", a=1, b=2)
    with pytest.raises(SourceUnavailable, match="it cannot be reached"):
        await servers.listing(source)
    while not servers.changes.empty():
        servers.changes.get_nowait()
    await http.start()
    async with asyncio.timeout(20):
        assert await servers.changes.get() == "web"
    assert "add" in await servers.names(source)


@both_eras
async def test_a_deadline_cancels_on_the_server(servers, http, era):
    source = await opened(servers, http, era)
    await servers.listing(source)
    task = asyncio.create_task(servers.call(source, "wait", seconds=600))
    await servers.until(lambda: "waiting" in http.log)
    task.cancel()
    await asyncio.wait({task})
    await servers.until(lambda: "cancelled" in http.log)


@both_eras
@pytest.mark.parametrize("http", [["none"]], indirect=True)
async def test_changed_tools_are_announced_and_listed(servers, http, era):
    http.kill()
    await http.start()
    source = await opened(servers, http, era)
    before = await servers.listing(source)
    if era == "legacy":
        await servers.until(lambda: any(line.startswith("GET") for line in http.log))
    await servers.call(source, "grow")
    async with asyncio.timeout(20):
        assert await servers.changes.get() == "web"
    after = await servers.listing(source)
    assert after.generation != before.generation
    assert "grown" in {tool.name for tool in after.tools}


@both_shapes
async def test_an_answer_over_the_bound_fails_its_own_call_and_no_other(servers, http):
    (source,) = await servers.open(
        {"web": {"url": http.url}}, settings={"maxMessageBytes": 100_000}
    )
    with pytest.raises(ToolError):
        await servers.call(source, "big", size=500_000)
    assert (await servers.call(source, "add", a=1, b=2)).value == {"result": 3}


@pytest.mark.parametrize("http", [["s3cret-token"]], indirect=True)
@pytest.mark.parametrize(
    "server",
    [
        {"headers": {"Authorization": "Bearer ${TOKEN}"}},
        {"bearer_token_env_var": "TOKEN"},
    ],
)
async def test_a_bearer_token_comes_from_the_environment(servers, http, server):
    (source,) = await servers.open(
        {"web": {"url": http.url, **server}}, environ={"TOKEN": "s3cret-token"}
    )
    assert "add" in await servers.names(source)
    assert "s3cret" not in source.origin


@pytest.mark.parametrize("http", [["s3cret-token"]], indirect=True)
async def test_a_server_that_wants_authorization_says_so_without_the_token(servers, http):
    source = await opened(servers, http, "auto", headers={"Authorization": "Bearer wrong-one"})
    with pytest.raises(SourceUnavailable, match="wants authorization") as raised:
        await servers.listing(source)
    assert "wrong-one" not in str(raised.value)


async def test_nothing_at_the_address_is_unavailable(servers):
    (source,) = await servers.open({"web": {"url": "http://127.0.0.1:9/mcp"}})
    with pytest.raises(SourceUnavailable, match="it cannot be reached"):
        await servers.listing(source)


@both_eras
async def test_calls_side_by_side_each_get_their_own_answer(servers, http, era):
    source = await opened(servers, http, era)
    results = await asyncio.gather(*(servers.call(source, "add", a=n, b=n) for n in range(20)))
    assert [result.value["result"] for result in results] == [2 * n for n in range(20)]


@both_eras
async def test_closing_ends_the_session_on_the_server(servers, http, era):
    source = await opened(servers, http, era)
    await servers.listing(source)
    await source.aclose()
    assert any(line.startswith("DELETE") for line in http.log) == (era == "legacy")


async def test_a_timeout_over_http_is_a_result_that_says_so(servers, http):
    source = await opened(servers, http, "auto")
    await servers.listing(source)
    call = servers.tool_call(source, "wait", {"seconds": 600}, timeout_ms=300)
    assert (await source.call(call)).error.code is ErrorCode.TIMEOUT
