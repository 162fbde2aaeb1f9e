"""The sink in the suite that every sink goes through, with what it told kept in memory."""

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolsearch.testing import TelemetryConformance
from toolsearch_hookspecs import hookimpl
from toolsearch_telemetry_otel import plugin
from toolsearch_telemetry_otel._telling import Telling


class Kept(plugin):
    """Tells into memory what would go to a collector."""

    @hookimpl
    def toolsearch_configure(self, plugin):
        self.spans = InMemorySpanExporter()
        traces = TracerProvider(shutdown_on_exit=False)
        traces.add_span_processor(SimpleSpanProcessor(self.spans))
        metrics = MeterProvider(shutdown_on_exit=False)
        self._telling = Telling(traces.get_tracer("t"), metrics.get_meter("t"), None)


class TestOtel(TelemetryConformance):
    plugin = Kept

    def kept(self, sink, folder):
        spans = sink.spans.get_finished_spans()
        assert spans
        return str(encode_spans(spans))
