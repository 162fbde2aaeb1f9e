"""A provider on loopback, and tools that providers find awkward: for tests of surfaces."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from toolsearch_hookspecs import ToolError, ToolSpec

from ._list_source import ListSource

Refusal = Callable[[dict[str, Any]], str | None]
TEXT = {"type": "string"}
TREE = {"type": "object", "properties": {"branch": {"$ref": "#/$defs/tree"}, "kind": TEXT}}


def _takes_all(request: dict[str, Any]) -> str | None:
    return None


def _plain_error(message: str) -> Any:
    return {"error": {"message": message}}


class LoopbackProvider:
    """A provider's server on loopback, to be asked by the provider's own client at `url`.

    Each POST is answered with the next of `answers`: a JSON value, the list of the events of a
    stream, or a function of the request that gives either (it runs in the server's thread, and may
    wait). `requests` has every request's JSON. `refusal` says why the provider would refuse a
    request, None where it would not, and `error` is the body of the 400 that says so. Where no
    answer is left the status is 500. Use it as a context manager.
    """

    def __init__(
        self, refusal: Refusal = _takes_all, error: Callable[[str], Any] = _plain_error
    ) -> None:
        self.answers: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._refusal = refusal
        self._error = error

    def __enter__(self) -> LoopbackProvider:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: dict[str, Any]) -> tuple[int, str, str]:
        """Status, content type and text."""
        self.requests.append(request)
        refused = self._refusal(request)
        if refused is not None:
            return 400, "application/json", json.dumps(self._error(refused))
        if not self.answers:
            said = f"no answer is left for request {len(self.requests)}; put one into `answers`"
            return 500, "application/json", json.dumps(self._error(said))
        answer = self.answers.pop(0)
        given = answer(request) if callable(answer) else answer
        if isinstance(given, list):
            return 200, "text/event-stream", "".join(map(_event, given))
        return 200, "application/json", json.dumps(given)


def _answering(provider: LoopbackProvider) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, kind, text = provider._answer(request)  # noqa: SLF001  a part of it
            body = text.encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:  # the client did not wait for it
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    return Answering


def _event(event: Mapping[str, Any]) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


AWKWARD = (
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
            "$defs": {"tree": TREE},
        },
    ),
)


def awkward_source(*more: ToolSpec) -> ListSource:
    """A source `awkward` of tools that a provider would refuse as they are, and of `more`.

    Each answers `{"did": its name}`, but for `fail`, which always fails.
    """
    failing = ToolSpec(name="fail", description="Always fails.")
    specs = {spec.name: spec for spec in (*AWKWARD, *more, failing)}
    source = ListSource("awkward", {name: _doing(name) for name in specs})
    source.specs = specs
    return source


def _doing(name: str) -> Callable[..., Any]:
    def does(**arguments: Any) -> Any:
        if name == "fail":
            raise ToolError("the printer is on fire")
        return {"did": name}

    return does
