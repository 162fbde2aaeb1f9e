"""The plugin `telemetry-jsonl`."""
