"""The plugin `mode-tools`."""
