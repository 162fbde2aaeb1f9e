"""The suite that every code runner passes."""

from __future__ import annotations

from toolsearch.testing import CodeRunnerConformance
from toolsearch_runner_node import plugin


class TestRunnerNode(CodeRunnerConformance):
    plugin = plugin
