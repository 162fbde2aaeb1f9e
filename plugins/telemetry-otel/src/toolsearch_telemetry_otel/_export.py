"""The providers of tracers and meters: the program's own, or one that exports to a collector."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from toolsearch_hookspecs import PluginError

from ._settings import OtelSettings
from ._words import CONVENTIONS

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Tracer, TracerProvider

SCOPE = "toolsearch"
DISTRIBUTION = "toolsearch-telemetry-otel"
SEND_WITHIN_S = 2.0


@dataclass(frozen=True)
class Providers:
    """Where tracers and meters come from. Nothing global is set, so that two hosts may differ."""

    traces: TracerProvider
    metrics: MeterProvider
    own: bool

    @classmethod
    def of(cls, settings: OtelSettings) -> Providers:
        """Raises PluginError where an endpoint is set and the SDK is not installed."""
        from opentelemetry.metrics import get_meter_provider
        from opentelemetry.trace import get_tracer_provider

        if settings.endpoint is None:
            return cls(get_tracer_provider(), get_meter_provider(), own=False)
        try:
            return _exporting(settings.endpoint.rstrip("/"), settings.service_name)
        except ImportError as missing:
            message = (
                f"telemetry-otel: an endpoint is set, and {missing.name} is not installed; "
                f"install {DISTRIBUTION}[export]"
            )
            raise PluginError(message) from missing

    def tracer(self) -> Tracer:
        return self.traces.get_tracer(SCOPE, version(DISTRIBUTION), schema_url=CONVENTIONS)

    def meter(self) -> Meter:
        return self.metrics.get_meter(SCOPE, version(DISTRIBUTION), schema_url=CONVENTIONS)

    def close(self) -> None:
        """Send what waits; a collector that is down is given two seconds for each kind."""
        if not self.own:
            return
        for provider in (self.traces, self.metrics):
            shutdown = getattr(provider, "shutdown", None)
            if shutdown is not None:
                shutdown()


def _exporting(endpoint: str, service: str) -> Providers:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": service})
    spans = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=SEND_WITHIN_S)
    traces = SdkTracerProvider(resource=resource, shutdown_on_exit=False)
    traces.add_span_processor(BatchSpanProcessor(spans))
    points = OTLPMetricExporter(endpoint=f"{endpoint}/v1/metrics", timeout=SEND_WITHIN_S)
    reader = PeriodicExportingMetricReader(points)
    metrics = SdkMeterProvider(resource=resource, metric_readers=[reader], shutdown_on_exit=False)
    return Providers(traces, metrics, own=True)
