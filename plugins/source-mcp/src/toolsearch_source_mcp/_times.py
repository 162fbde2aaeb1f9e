"""How long a server may take, and how long a run waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from ._settings import ServerSettings

if TYPE_CHECKING:
    from ._surroundings import Surroundings

_MARGIN_SECONDS = 1.0
_MARGIN_SHARE = 0.2


@attrs.frozen
class Times:
    """All in seconds but the last: one start, one listing, how long a run waits for the first.

    A run stops waiting a little before the host's deadline, so that the source itself can say how
    far it is. Settings of its own (`list_timeout_ms`) let a run wait as long as the start may last,
    with what it takes to stop a server that did not make it.
    """

    start: float
    listing: float
    patience: float
    list_timeout_ms: int | None

    @classmethod
    def of(cls, settings: ServerSettings, around: Surroundings) -> Times:
        limit = around.limits.source_timeout_ms / 1_000
        if settings.start_ms is None:
            start = max(around.bounds.start_timeout_ms / 1_000, limit)
            return cls(start, limit, limit - min(_MARGIN_SECONDS, limit * _MARGIN_SHARE), None)
        own = settings.start_ms / 1_000
        patience = own + 2 * around.bounds.shutdown_ms / 1_000 + _MARGIN_SECONDS
        return cls(own, own, patience, round((patience + _MARGIN_SECONDS) * 1_000))
