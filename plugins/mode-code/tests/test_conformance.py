"""The suite that every mode passes."""

from __future__ import annotations

from typing import ClassVar

from toolsearch.testing import ModeRendererConformance
from toolsearch_mode_code import plugin


class TestModeCode(ModeRendererConformance):
    plugin = plugin
    needs: ClassVar = ("runner-node",)
