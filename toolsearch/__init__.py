"""toolsearch: one compact way for an agent to find and call any of thousands of tools."""
