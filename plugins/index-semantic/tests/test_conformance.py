import importlib.util

import pytest

from toolsearch.testing import SearchIndexConformance
from toolsearch_index_semantic import plugin

if importlib.util.find_spec("wordllama") is None:
    pytest.skip("wordllama is an optional extra", allow_module_level=True)


class TestSemantic(SearchIndexConformance):
    plugin = plugin
