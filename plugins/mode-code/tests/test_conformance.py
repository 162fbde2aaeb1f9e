from toolsearch.testing import ModeRendererConformance
from toolsearch_mode_code import plugin


class TestCodeMode(ModeRendererConformance):
    plugin = plugin
    needs = ("runner-node",)
