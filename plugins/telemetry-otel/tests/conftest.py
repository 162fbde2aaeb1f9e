"""A collector on loopback that takes OTLP over HTTP, and hosts that send to it."""

from __future__ import annotations

import gzip
import threading
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from toolsearch.testing import observed_host
from toolsearch_telemetry_otel import plugin


def value_of(value: Any) -> Any:
    return getattr(value, value.WhichOneof("value"))


def attributes(holder: Any) -> dict[str, Any]:
    return {pair.key: value_of(pair.value) for pair in holder.attributes}


class Collector:
    """What arrived, decoded."""

    def __init__(self) -> None:
        self.url = ""
        self.traces: list[Any] = []
        self.metrics: list[Any] = []

    def take(self, path: str, body: bytes) -> None:
        match path:
            case "/v1/traces":
                self.traces.append(ExportTraceServiceRequest.FromString(body))
            case "/v1/metrics":
                self.metrics.append(ExportMetricsServiceRequest.FromString(body))

    @property
    def resource(self) -> dict[str, Any]:
        return attributes(self.traces[0].resource_spans[0].resource)

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span(self, name: str) -> Any:
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def points(self, name: str) -> list[Any]:
        """The data points of one metric, in the last export."""
        return [
            point
            for resource in self.metrics[-1].resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in getattr(metric, metric.WhichOneof("data")).data_points
        ]


def _handler(collector: Collector) -> type[BaseHTTPRequestHandler]:
    class Taking(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.take(self.path, body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    return Taking


@pytest.fixture
def collector():
    collector = Collector()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(collector))
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield collector
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def started(tmp_path):
    """`await started(settings, *sources)` gives a started host; closing it sends what waits."""
    async with AsyncExitStack() as stack:

        async def start(settings, *sources, plugins=(), environ=None):
            host = observed_host(
                tmp_path,
                {
                    "tools": {"toolSearch": {"mode": "tools"}},
                    "plugins": {"settings": {"otel": settings}},
                },
                *sources,
                plugins=[("otel", plugin), *plugins],
                only=("index-whoosh", "mode-tools"),
                environ=environ or {},
            )
            return await stack.enter_async_context(host)

        yield start
