"""The runner of this plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_runner_base.runner import ChildRunner

from ._node import Node

if TYPE_CHECKING:
    from ._settings import RunnerSettings


class NodeRunner(ChildRunner):
    """Runs bodies in single-use Node children behind three layers; see `docs/security.md`."""

    def __init__(self, settings: RunnerSettings, memory_mb: int = 256) -> None:
        super().__init__(Node, settings.node, settings, memory_mb)
