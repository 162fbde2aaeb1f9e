"""The settings of the plugin, under `plugins.settings.rank-feedback`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings


class FeedbackSettings(Settings):
    """`weight` is what full agreement of past requests adds to a score of which the best is 1;
    `most` is how many successes are kept for each tenant."""

    weight: Annotated[float, Field(ge=0)] = 0.6
    keep_days: Annotated[int, Field(gt=0)] = 90
    most: Annotated[int, Field(gt=0)] = 20_000
