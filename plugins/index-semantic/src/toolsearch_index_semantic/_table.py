"""Vectors by key, such that a change copies no matrix."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

FEWEST_SPARE_ROWS = 64


@frozen(eq=False)
class Table:
    """Where each key's vector is; rows that no key has are of tools that are gone.

    A table never changes: the one after a change shares its matrix and has written behind `used`,
    where this one does not look. So of any table at most one may be grown further.
    """

    rows: Mapping[str, int] = {}
    used: int = 0
    matrix: Any = None
    leading: Any = None  # the first numbers of each row, where those alone tell enough to choose by

    def without(self, keys: Collection[str]) -> Table:
        rows = dict(self.rows)
        for key in keys:
            rows.pop(key, None)
        return evolve(self, rows=rows)

    def grown(self, keys: Sequence[str], vectors: Any, leading: int | None) -> Table:
        """With the vectors of new keys; `leading` is how many numbers are repeated apart."""
        used = self.used + len(keys)
        if self.matrix is None or used > len(self.matrix):
            return self._moved(len(keys), vectors.shape[1], leading).grown(keys, vectors, leading)
        self.matrix[self.used : used] = vectors
        if self.leading is not None:
            self.leading[self.used : used] = vectors[:, :leading]
        new = dict(zip(keys, range(self.used, used), strict=True))
        return evolve(self, rows={**self.rows, **new}, used=used)

    def _moved(self, more: int, width: int, leading: int | None) -> Table:
        """The same in a matrix with room for `more`, without the rows that are of no key."""
        kept = list(self.rows.values())
        room = len(kept) + more
        matrix = np.zeros((room + max(FEWEST_SPARE_ROWS, room // 4), width), np.float32)
        if kept:
            matrix[: len(kept)] = self.matrix[kept]
        return Table(
            rows=dict(zip(self.rows, range(len(kept)), strict=True)),
            used=len(kept),
            matrix=matrix,
            leading=matrix[:, :leading].copy() if leading is not None else None,
        )


def products(matrix: Any, rows: Any, vector: Any) -> Any:
    """The products of some rows with a vector.

    By `einsum`, which stays on this thread: a product of such a size is handed to several threads
    by BLAS, whose waiting for one another costs more than the product.
    """
    if len(rows) * 4 < len(matrix):
        return np.einsum("ij,j->i", matrix[rows], vector)
    return np.einsum("ij,j->i", matrix, vector)[rows]


def greatest(values: Any, count: int) -> Any:
    """The places of the greatest values, in the order of the places."""
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, len(values) - count)[len(values) - count :])
