"""The settings that every runner has."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings


class RunnerSettings(Settings):
    """`allow_weak_isolation` runs bodies although something of S6.1 does not hold: the
    deployment's own choice. `pool` is how many children wait, started, for a body.
    """

    allow_weak_isolation: bool = False
    pool: Annotated[int, Field(ge=0, le=32)] = 2
