"""The plugin `runner-node`."""
