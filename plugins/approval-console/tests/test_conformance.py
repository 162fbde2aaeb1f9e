from toolsearch.testing import ApproverConformance
from toolsearch_approval_console import plugin


class TestConsole(ApproverConformance):
    plugin = plugin
