from toolsearch.testing import ModeRendererConformance
from toolsearch_mode_directory import plugin


class TestDirectoryMode(ModeRendererConformance):
    plugin = plugin
