from toolsearch.testing import CodeRunnerConformance
from toolsearch_runner_node import plugin


class TestNode(CodeRunnerConformance):
    plugin = plugin
    settings = {"pool": 0}  # noqa: RUF012
