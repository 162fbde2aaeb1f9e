"""The plugin `source-python`."""
