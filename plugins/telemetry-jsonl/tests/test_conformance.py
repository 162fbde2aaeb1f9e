from toolsearch.testing import TelemetryConformance
from toolsearch_telemetry_jsonl import plugin


class TestSessionLog(TelemetryConformance):
    plugin = plugin
