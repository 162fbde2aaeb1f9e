"""The runner of this plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsearch_runner_base.runner import ChildRunner

from ._deno import Deno

if TYPE_CHECKING:
    from ._settings import RunnerSettings


class DenoRunner(ChildRunner):
    """Runs bodies in single-use Deno children behind three layers; see `docs/security.md`."""

    def __init__(self, settings: RunnerSettings, memory_mb: int = 256) -> None:
        super().__init__(Deno, settings.deno, settings, memory_mb)
