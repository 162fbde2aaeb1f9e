"""The suite that every code runner passes."""

from __future__ import annotations

from toolsearch.testing import CodeRunnerConformance
from toolsearch_runner_deno import plugin


class TestRunnerDeno(CodeRunnerConformance):
    plugin = plugin
