"""An SDK server over streamable HTTP, for both eras. Prints its port; dies when a tool says so."""

import asyncio
import contextlib
import os
import socket
import sys
import warnings
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

warnings.simplefilter("ignore")
port, notes, token = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
json_response = "--json" in sys.argv
server = MCPServer("http")


def note(text: str) -> None:
    with notes.open("a") as file:
        file.write(text + "\n")


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def wait(seconds: float) -> str:
    note("waiting")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note("cancelled")
        raise
    return "waited"


@server.tool()
def die() -> str:
    os._exit(5)


@server.tool()
def big(size: int) -> str:
    return "x" * size


@server.tool()
async def grow(ctx: Context) -> str:
    def grown() -> str:
        return "grown"

    server.add_tool(grown, name="grown")
    await ctx.notify_tools_changed()
    with contextlib.suppress(Exception):
        await ctx.session.send_tool_list_changed()
    return "grew"


app = server.streamable_http_app(json_response=json_response)


async def guarded(scope, receive, send):
    if scope["type"] == "http":
        headers = dict(scope["headers"])
        version = headers.get(b"mcp-protocol-version", b"none").decode()
        note(f"{scope['method']} {version}")
        if token != "none" and headers.get(b"authorization") != f"Bearer {token}".encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
    await app(scope, receive, send)


listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
listener.listen()
print(listener.getsockname()[1], flush=True)
config = uvicorn.Config(guarded, log_level="error", lifespan="on", timeout_graceful_shutdown=0)
asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
