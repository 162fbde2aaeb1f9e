"""A provider on loopback that refuses what OpenAI refuses, and a host with awkward tools."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolsearch import Host
from toolsearch_hookspecs import SourceListing, ToolError, ToolSource, ToolSpec
from toolsearch_surface_openai import Plugin

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TEXT = {"type": "string"}
REFUSED_AT_ROOT = ("oneOf", "anyOf", "allOf", "enum", "not")


class Awkward(ToolSource):
    """Tools that a provider would refuse as they are."""

    name, kind, trusted, origin = "awkward", "plugin", True, "tests"
    specs = (
        ToolSpec(name="höhe messen", description="Measure the height.", input_schema={}),
        ToolSpec(name="9.lives", description="Count the lives left." * 200),
        ToolSpec(
            name="pay",
            description="Pay an invoice.",
            input_schema={
                "oneOf": [
                    {"properties": {"card": TEXT}, "required": ["card"]},
                    {"properties": {"iban": TEXT}, "required": ["iban"]},
                ]
            },
        ),
        ToolSpec(
            name="plant",
            description="Plant a tree.",
            input_schema={
                "type": "object",
                "properties": {"tree": {"$ref": "#/$defs/tree"}},
                "$defs": {
                    "tree": {
                        "type": "object",
                        "properties": {"branch": {"$ref": "#/$defs/tree"}, "kind": TEXT},
                    }
                },
            },
        ),
        ToolSpec(name="fail", description="Always fails."),
    )

    def __init__(self) -> None:
        self.called: list[tuple[str, dict[str, Any]]] = []

    async def list_tools(self, run):
        return SourceListing(generation="1", tools=self.specs)

    async def call(self, call):
        self.called.append((call.tool.name, dict(call.arguments)))
        if call.tool.name == "fail":
            raise ToolError("the printer is on fire")
        return {"did": call.tool.name}


class Provider:
    """Answers each request with the next of `answers`: a value, or a list of streamed events."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def refusal(self, request: dict[str, Any]) -> str | None:
        tools = request.get("tools") or []
        if len(tools) > 128 and "messages" in request:
            return f"Invalid 'tools': array too long. Expected at most 128, got {len(tools)}"
        for tool in tools:
            function = tool.get("function", tool)
            if tool["type"] != "function":
                continue
            if not NAME.fullmatch(function["name"]):
                return f"Invalid 'name': {function['name']}"
            if len(function.get("description", "")) > 1024:
                return "Invalid 'description': string too long"
            schema = function["parameters"]
            if schema.get("type") != "object" or any(key in schema for key in REFUSED_AT_ROOT):
                return f"Invalid schema for function {function['name']!r}"
        return _unanswered(request.get("messages") or []) or None


def _unanswered(messages: list[dict[str, Any]]) -> str:
    open_: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_.remove(message["tool_call_id"])
        elif open_:
            return f"tool calls without a response: {open_}"
        open_ += [call["id"] for call in message.get("tool_calls") or ()]
    return f"tool calls without a response: {open_}" if open_ else ""


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.requests.append(request)
            refused = provider.refusal(request)
            if refused is not None:
                self._send(400, "application/json", json.dumps({"error": {"message": refused}}))
                return
            answer = provider.answers.pop(0)
            if isinstance(answer, list):
                self._send(200, "text/event-stream", "".join(map(_event, answer)))
            else:
                self._send(200, "application/json", json.dumps(answer))

        def _send(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    return Answering


def _event(event: Any) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


@pytest.fixture
def provider():
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield provider
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def source():
    return Awkward()


@pytest.fixture
async def host(source, tmp_path):
    given = Host.from_config(
        {"tools": {"toolSearch": {"mode": "tools"}}, "plugins": {"disabled": ["surface-openai"]}},
        sources=[source],
        plugins=[("openai", Plugin())],
        environ={},
        state_dir=tmp_path,
    )
    async with given as host:
        yield host
