from toolsearch.testing import ToolSourceConformance
from toolsearch_source_python import plugin


class TestStatistics(ToolSourceConformance):
    plugin = plugin
    settings = {"modules": ["statistics"]}  # noqa: RUF012
    example = ("mean", {"data": [1, 2, 3]})
