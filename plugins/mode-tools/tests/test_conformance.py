from toolsearch.testing import ModeRendererConformance
from toolsearch_mode_tools import plugin


class TestToolsMode(ModeRendererConformance):
    plugin = plugin
