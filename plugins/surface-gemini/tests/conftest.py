"""A provider on loopback that refuses what Gemini refuses, and a host with awkward tools."""

from __future__ import annotations

import itertools
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolsearch import Host
from toolsearch_hookspecs import SourceListing, ToolError, ToolSource, ToolSpec
from toolsearch_surface_gemini import Plugin

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
KEY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
TEXT = {"type": "string"}
UNKNOWN = ("$ref", "$schema", "allOf", "const", "exclusiveMinimum", "not", "pattern")


def field(message: dict[str, Any], name: str) -> Any:
    """A field of a protocol buffer's JSON, whose name may be written in either case."""
    return message.get(name, message.get(re.sub("([A-Z])", r"_\1", name).lower()))


def _name(part: dict[str, Any], kind: str) -> str | None:
    return (field(part, kind) or {}).get("name")


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
        ToolSpec(
            name="search",
            description="Search the archive.",
            input_schema={
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {
                    "$top": {"type": "integer", "exclusiveMinimum": 0},
                    "kind": {"const": "mail"},
                    "address": {"type": "string", "format": "email", "pattern": ".+@.+"},
                    "tags": {"type": "array"},
                    "both": {"allOf": [{"type": "object", "properties": {"a": TEXT}}]},
                },
                "required": ["$top", "gone"],
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
        declared = [
            d for tool in request.get("tools") or [] for d in field(tool, "functionDeclarations")
        ]
        if len(declared) > 512:
            return "The request has more than 512 function declarations"
        for number, declaration in enumerate(declared):
            place = f"tools[0].function_declarations[{number}]"
            schema = field(declaration, "parametersJsonSchema")
            if not NAME.fullmatch(declaration["name"]):
                return f"Invalid function name at {place}.name"
            if schema.get("type") != "object":
                return f"{place}.parameters: schema should be of type OBJECT"
            if not all(map(KEY.fullmatch, schema.get("properties", {}))):
                return f"{place}.parameters.properties: invalid parameter name"
            if (unknown := _unknown(schema)) is not None:
                return f'Unknown name "{unknown}" at {place}.parameters: Cannot find field.'
        return _unanswered(request["contents"])


def _unknown(schema: Any) -> str | None:
    match schema:
        case dict():
            here = (key for key in UNKNOWN if key in schema)
            required = set(schema.get("required", ())) - set(schema.get("properties", ()))
            parts = schema.get("properties", schema)
            inside = (_unknown(value) for value in parts.values())
            return (
                next(here, None) or next(iter(required), None) or next(filter(None, inside), None)
            )
        case list():
            return next(filter(None, map(_unknown, schema)), None)
        case _:
            return None


def _unanswered(contents: list[dict[str, Any]]) -> str | None:
    for before, after in itertools.pairwise([*contents, {"parts": []}]):
        asked = [name for part in before["parts"] if (name := _name(part, "functionCall"))]
        given = [name for part in after["parts"] if (name := _name(part, "functionResponse"))]
        if asked != given:
            return "the number of function response parts should equal that of function call parts"
    return None


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.requests.append(request)
            refused = provider.refusal(request)
            if refused is not None:
                self._send(
                    400,
                    "application/json",
                    json.dumps(
                        {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": refused}}
                    ),
                )
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
        {"tools": {"toolSearch": {"mode": "tools"}}, "plugins": {"disabled": ["surface-gemini"]}},
        sources=[source],
        plugins=[("gemini", Plugin())],
        environ={},
        state_dir=tmp_path,
    )
    async with given as host:
        yield host
