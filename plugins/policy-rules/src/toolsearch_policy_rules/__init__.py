"""The plugin `policy-rules`."""
