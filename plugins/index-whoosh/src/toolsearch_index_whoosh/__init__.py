"""The plugin `index-whoosh`."""
