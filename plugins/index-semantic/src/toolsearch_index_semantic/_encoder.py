"""What turns texts into vectors, as the rest sees it."""

from __future__ import annotations

from typing import Any, Protocol


class Encoder(Protocol):
    """Turns texts into vectors of length 1, offline, from any thread.

    `noise` is how alike a request and the likest of some unrelated tools mostly are at the most,
    `alike` how alike a request and its own tool mostly are at the least, and `weight` how much its
    likest text adds to a score of which the best is 1 (`docs/benchmarks.md`). Where the first numbers of
    a vector tell enough to choose by, `leading` is how many. A `quick` one takes far less than a
    millisecond for a request.
    """

    noise: float
    alike: float
    weight: float
    leading: int | None
    quick: bool

    def tools(self, texts: list[str]) -> Any:
        """A matrix of 32-bit floats, one row for each text."""
        ...

    def request(self, text: str) -> Any:
        """One vector of as many numbers."""
        ...
