"""Many small numbers in one long integer: adding two such integers adds all of their numbers.

Each number has a lane of sixteen bits. It uses fifteen of them; the last one tells whether a lane
reaches a bound that is added to all.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

LANE_BYTES = 2
SUM_BITS = 15
OVER = 1 << SUM_BITS
MARK = b"\x80"  # what a byte is where a lane holds `OVER` and nothing else

# Long rows are cut into integers of so many lanes, which the processor's nearest memory holds.
BLOCK = 1 << 14

Lanes = tuple[int, ...]


class Layout:
    """How the numbers of `size` documents lie in lanes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._sizes = [min(BLOCK, size - start) for start in range(0, size, BLOCK)]
        self._ones = [_repeated(1, lanes) for lanes in self._sizes]
        self._over = [one * OVER for one in self._ones]

    def row(self) -> array[int]:
        """A nought for each document."""
        return array("H", bytes(LANE_BYTES * self._size))

    def lanes(self, numbers: array[int]) -> Lanes:
        blocks = (numbers[start : start + BLOCK] for start in range(0, self._size, BLOCK))
        return tuple(int.from_bytes(block, sys.byteorder) for block in blocks)

    def added(self, rows: Sequence[Lanes], halved: int) -> Lanes:
        """The sum of the rows, each halved so many times; no lane may come to `OVER`."""
        if halved:
            kept = [one * ((OVER - 1) >> halved) for one in self._ones]
            rows = [
                tuple((lanes >> halved) & mask for lanes, mask in zip(row, kept, strict=True))
                for row in rows
            ]
        return tuple(map(sum, zip(*rows, strict=True)))

    def numbers(self, lanes: Lanes) -> array[int]:
        """What stands in the lanes, by document."""
        return array("H", self._bytes(lanes)) if lanes else self.row()

    def reaching(self, lanes: Lanes, bound: int) -> list[int]:
        """The documents whose lanes hold `bound` at least."""
        marked = tuple(
            (lane + one * (OVER - bound)) & over
            for lane, one, over in zip(lanes, self._ones, self._over, strict=False)
        )
        *before, _ = self._bytes(marked).split(MARK)
        places = accumulate(len(piece) + 1 for piece in before)
        return [(place - 1) // LANE_BYTES for place in places]

    def _bytes(self, lanes: Lanes) -> bytes:
        return b"".join(
            lane.to_bytes(LANE_BYTES * size, sys.byteorder)
            for lane, size in zip(lanes, self._sizes, strict=False)
        )


def halvings(highest: Iterable[int]) -> int:
    """How often numbers of these sizes must be halved for their sum to fit a lane."""
    return max(0, sum(highest).bit_length() - SUM_BITS)


def _repeated(number: int, times: int) -> int:
    return int.from_bytes(number.to_bytes(LANE_BYTES, sys.byteorder) * times, sys.byteorder)
