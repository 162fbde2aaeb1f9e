"""`plugins.settings.telemetry-otel`."""

from __future__ import annotations

from toolsearch_hookspecs import Settings


class OtelSettings(Settings):
    """Where spans and metrics go, and whether they carry content.

    Left out, they go to the providers that the embedding program set up. `endpoint` is the address
    of a collector that takes OTLP over HTTP (`http://127.0.0.1:4318`); the headers of the
    environment (`OTEL_EXPORTER_OTLP_HEADERS`) hold. `content` puts arguments, results, queries and
    code on spans, redacted.
    """

    endpoint: str | None = None
    service_name: str = "toolsearch"
    content: bool = False
