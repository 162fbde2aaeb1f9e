"""The plugin `source-mcp`."""
