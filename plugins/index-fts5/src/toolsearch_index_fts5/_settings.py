"""The settings of the index, under `plugins.settings.index-fts5`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings


class Fts5Settings(Settings):
    """`on_disk` keeps the index in the plugin's state directory, where tools that nobody has asked
    for stay `keep_days`. `min_confidence` is how sure the index must be of its best hit to answer at
    all; 0 never abstains."""

    on_disk: bool = False
    keep_days: Annotated[int, Field(gt=0)] = 30
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.15
