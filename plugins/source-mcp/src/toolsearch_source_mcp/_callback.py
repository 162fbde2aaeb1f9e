"""The loopback address to which a browser comes back after a person said yes."""

from __future__ import annotations

import asyncio
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult

from toolsearch_hookspecs import ConfigError

from ._oauth import Interaction

WAIT_SECONDS = 300
_PATH = "/callback"
_LONGEST_REQUEST = 16_384
_PAGE = "Authorization is finished; this page can be closed."


@asynccontextmanager
async def interaction(port: int, open_url: Callable[[str], None]) -> AsyncIterator[Interaction]:
    """Listen on the loopback address (any free port for 0) for one answer."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[AuthorizationCodeResult] = loop.create_future()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline())[:_LONGEST_REQUEST].decode("latin-1").split(" ")
        found = _result(line[1]) if len(line) > 1 else None
        if found is not None and not answer.done():
            answer.set_result(found)
        status, text = ("200 OK", _PAGE) if found is not None else ("404 Not Found", "Not this.")
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())
        await writer.drain()
        writer.close()

    async def came_back() -> AuthorizationCodeResult:
        async with asyncio.timeout(WAIT_SECONDS):
            return await answer

    async def opening(url: str) -> None:
        await asyncio.to_thread(open_url, checked(url))

    async with await asyncio.start_server(take, "127.0.0.1", port) as server:
        listening = server.sockets[0].getsockname()[1]
        yield Interaction(f"http://127.0.0.1:{listening}{_PATH}", opening, came_back)


def checked(url: str) -> str:
    """The address that a server wants a browser to open. Raises `ConfigError` for another kind.

    It is a stranger's text on its way to the system's own opener: a web address and nothing else.
    """
    parts = urlsplit(url)
    local = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        raise ConfigError(f"the server wants {parts.scheme or 'no scheme'}: opened, not https")
    if not url.isascii() or any(char.isspace() or char in "\"'`<>\\^{|}" for char in url):
        raise ConfigError("the server gave an address with characters that no address has")
    return url


def show_url(url: str) -> None:
    """Show the address for a person to open."""
    sys.stderr.write(f"open this address to authorize:\n  {url}\n")
    sys.stderr.flush()


def browse(url: str) -> None:
    """Show the address and have the system's browser open it."""
    show_url(url)
    webbrowser.open(url)


def _result(target: str) -> AuthorizationCodeResult | None:
    parts = urlsplit(target)
    asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
    if parts.path != _PATH or not ({"code", "error"} & asked.keys()):
        return None
    return AuthorizationCodeResult(
        code=asked.get("code", ""), state=asked.get("state"), iss=asked.get("iss")
    )
