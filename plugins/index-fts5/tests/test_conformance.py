from toolsearch.testing import SearchIndexConformance
from toolsearch_index_fts5 import plugin


class TestFts5(SearchIndexConformance):
    plugin = plugin
