"""`toolsearch serve` against FastMCP with its BM25 search, over the same upstream tools.

    python benchmarks/mcp_server.py [--tools 10 500 2000 10000] [--rounds 20] [--json]

Both proxies stand between one client of the SDK and one upstream server, each over stdio, with
the upstream session kept open. FastMCP's proxy lists the upstream anew for each search, so a third
row has its best case: the tools in its own process, no upstream at all. It gets an environment of
its own, made on first use (`--peer PYTHON` names one instead). Times are milliseconds seen by the
client: the median and the 95th percentile of `rounds` requests each, after the first search.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

HERE = Path(__file__).resolve()

PEER = "fastmcp==4.2.3"
NAMES = ("toolsearch serve", "fastmcp proxy", "fastmcp alone")
HITS = 5
CALLED = "github_create_issue"
SERVICES = [
    "github",
    "gitlab",
    "jira",
    "slack",
    "notion",
    "linear",
    "asana",
    "trello",
    "stripe",
    "shopify",
    "hubspot",
    "zendesk",
    "sentry",
    "datadog",
    "grafana",
    "postgres",
    "mysql",
    "redis",
    "mongo",
    "s3",
    "gcs",
    "azure",
    "drive",
    "gmail",
    "calendar",
]
VERBS = [
    "create",
    "update",
    "delete",
    "list",
    "search",
    "read",
    "move",
    "copy",
    "archive",
    "share",
    "export",
    "import",
]
NOUNS = [
    "issue",
    "comment",
    "message",
    "page",
    "task",
    "board",
    "invoice",
    "order",
    "contact",
    "ticket",
    "alert",
    "dashboard",
    "query",
    "record",
    "bucket",
    "file",
    "folder",
    "mail",
    "event",
    "label",
    "branch",
    "release",
    "webhook",
    "user",
    "group",
    "project",
    "template",
    "report",
    "comment_thread",
    "attachment",
    "review",
    "pipeline",
    "policy",
    "secret",
]
QUERIES = (
    "create an issue on github",
    "search messages in slack",
    "delete a file from drive",
    "list the invoices of stripe",
    "export a dashboard from grafana",
    "share a folder",
    "update a calendar event",
    "archive old tickets",
)


def upstream_tools(count: int) -> Iterator[dict[str, Any]]:
    """The same `count` tools for every proxy."""
    for number, (noun, verb, service) in enumerate(product(NOUNS, VERBS, SERVICES)):
        if number == count:
            return
        properties = {
            name: {"type": "string", "description": f"The {name} of the {noun} in {service}."}
            for name in ("id", "title", "body", "owner", f"{noun}_state")
        }
        yield {
            "name": f"{service}_{verb}_{noun}",
            "description": f"{verb.capitalize()} a {noun.replace('_', ' ')} in {service}.",
            "inputSchema": {"type": "object", "properties": properties, "required": ["id"]},
        }


def upstream(count: int, effects: str | None = None, seconds: float = 0) -> None:
    """An MCP server without an SDK, so that the proxies are what is measured.

    For a soak, each call is noted in the file `effects` and then takes `seconds`.
    """
    tools = list(upstream_tools(count))
    for line in sys.stdin:
        message = json.loads(line)
        params = message.get("params") or {}
        match message.get("method"):
            case "initialize":
                result: dict[str, Any] = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "upstream", "version": "1"},
                }
            case "tools/list":
                result = {"tools": tools}
            case "tools/call":
                if effects is not None:
                    with Path(effects).open("a") as file:
                        file.write(f"{params['arguments']['id']}\n")
                    sleep(seconds)
                text = f"{params['name']} {json.dumps(params.get('arguments'))}"
                result = {"content": [{"type": "text", "text": text}]}
            case _ if "id" in message:
                result = {}
            case _:
                continue
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        sys.stdout.write("\n")
        sys.stdout.flush()


async def peer_alone(count: int) -> None:
    """FastMCP with its BM25 search over tools of its own."""
    from fastmcp import FastMCP
    from fastmcp.server.transforms.search import BM25SearchTransform
    from fastmcp.tools.base import Tool, ToolResult

    class Echo(Tool):
        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            return ToolResult(content=f"{self.name} {json.dumps(arguments)}")

    server = FastMCP("alone")
    for tool in upstream_tools(count):
        server.add_tool(
            Echo(
                name=tool["name"],
                description=tool["description"],
                parameters=tool["inputSchema"],
            )
        )
    server.add_transform(BM25SearchTransform(max_results=HITS))
    await server.run_async(transport="stdio", show_banner=False)


async def peer_proxy(count: int) -> None:
    """FastMCP's proxy with its BM25 search, over one open upstream session."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    from fastmcp.server.server import create_proxy
    from fastmcp.server.transforms.search import BM25SearchTransform

    behind = StdioTransport(sys.executable, [str(HERE), "upstream", str(count)])
    async with Client(behind) as client:
        proxy = create_proxy(client)
        proxy.add_transform(BM25SearchTransform(max_results=HITS))
        await proxy.run_async(transport="stdio", show_banner=False)


def peer_python() -> str:
    """The interpreter of an environment with FastMCP, made where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "toolsearch-benchmarks" / PEER.replace("==", "-")
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
        (folder / "complete").touch()
    return str(python)


def our_argv(count: int, folder: Path) -> list[str]:
    config = {
        "tools": {"toolSearch": {"mode": "tools"}},
        "mcpServers": {
            "up": {"command": sys.executable, "args": [str(HERE), "upstream", str(count)]}
        },
    }
    file = folder / "toolsearch.json5"
    file.write_text(json.dumps(config))
    return [sys.executable, "-m", "toolsearch", "--config", str(file), "serve"]


async def timed(
    argv: list[str],
    rounds: int,
    search: Callable[[Any, str], Awaitable[Any]],
    call: Callable[[Any, int], Awaitable[Any]],
) -> dict[str, float]:
    """What one client sees of a proxy: first search, search and call."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environ = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": tempfile.gettempdir()}
    parameters = StdioServerParameters(command=argv[0], args=argv[1:], env=environ)
    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230  (a device that does not block)
        began = perf_counter()
        async with Client(stdio_client(parameters, errlog=nowhere), mode="legacy") as client:
            await client.list_tools()
            found = await search(client, QUERIES[0])
            if "github" not in found.content[0].text:
                raise SystemExit(f"the first search found something else: {found}")
            seen = {"first_search": (perf_counter() - began) * 1_000}
            for name, request in (
                ("search", lambda n: search(client, QUERIES[n % len(QUERIES)])),
                ("call", lambda n: call(client, n)),
            ):
                times = []
                for number in range(rounds):
                    begin = perf_counter()
                    result = await request(number)
                    times.append((perf_counter() - begin) * 1_000)
                    if result.is_error:
                        raise SystemExit(f"{name} failed: {result.content}")
                seen[f"{name}_median"] = median(times)
                seen[f"{name}_p95"] = sorted(times)[int(len(times) * 0.95)]
            return seen


async def compared(counts: list[int], rounds: int, python: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            argv = our_argv(count, Path(folder))
            rows.append(await timed(argv, rounds, our_search, our_call))
        for role in ("proxy", "alone"):
            argv = [python, str(HERE), role, str(count)]
            rows.append(await timed(argv, rounds, their_search, their_call))
        for row, name in zip(rows[-3:], NAMES, strict=True):
            row |= {"tools": count, "proxy": name}
    return rows


async def our_search(client: Any, query: str) -> Any:
    return await client.call_tool("tool_search", {"query": query, "limit": HITS})


async def our_call(client: Any, number: int) -> Any:
    given = {"id": f"mcp:up:{CALLED}", "args": {"id": str(number)}}
    return await client.call_tool("tool_call", given)


async def their_search(client: Any, query: str) -> Any:
    return await client.call_tool("search_tools", {"query": query})


async def their_call(client: Any, number: int) -> Any:
    given = {"name": CALLED, "arguments": {"id": str(number)}}
    return await client.call_tool("call_tool", given)


def shown(rows: list[dict[str, Any]]) -> None:
    columns = ("first_search", "search_median", "search_p95", "call_median", "call_p95")
    print(f"{'tools':>7}  {'proxy':<18}" + "".join(f"{column:>15}" for column in columns))
    for row in rows:
        figures = "".join(f"{row[column]:>15.1f}" for column in columns)
        print(f"{row['tools']:>7}  {row['proxy']:<18}{figures}")


def main() -> None:
    match sys.argv[1:]:
        case ["upstream", count]:
            upstream(int(count))
            return
        case ["upstream", count, effects, seconds]:
            upstream(int(count), effects, float(seconds))
            return
        case ["proxy", count]:
            asyncio.run(peer_proxy(int(count)))
            return
        case ["alone", count]:
            asyncio.run(peer_alone(int(count)))
            return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, nargs="+", default=[10, 500, 2_000, 10_000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--peer", help="an interpreter that has FastMCP")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    python = options.peer or peer_python()
    rows = asyncio.run(compared(options.tools, options.rounds, python))
    print(json.dumps(rows)) if options.json else shown(rows)


if __name__ == "__main__":
    main()
