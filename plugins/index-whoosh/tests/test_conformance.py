from toolsearch.testing import SearchIndexConformance
from toolsearch_index_whoosh import plugin


class TestWhoosh(SearchIndexConformance):
    plugin = plugin
