"""The settings of `runner-deno`."""

from __future__ import annotations

from toolsearch_runner_base import settings


class RunnerSettings(settings.RunnerSettings):
    """`plugins.settings.runner-deno`.

    `deno` is a path or a name to look for; left out, the path is searched, then the package `deno`.
    The others are those of every runner.
    """

    deno: str | None = None
