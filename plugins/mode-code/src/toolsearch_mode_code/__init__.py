"""The plugin `mode-code`."""
