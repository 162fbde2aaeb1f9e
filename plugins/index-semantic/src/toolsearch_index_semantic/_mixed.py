"""Several encoders, whose likenesses are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._encoder import Encoder


class Mixed:
    """Puts the vectors side by side, each scaled such that the product of two rows is the average
    of the likenesses, by share."""

    weight = 0.9
    leading: int | None = None
    quick = False

    def __init__(self, encoders: Sequence[Encoder], shares: Sequence[float]) -> None:
        whole = sum(shares)
        parts = [(one, share / whole) for one, share in zip(encoders, shares, strict=True)]
        self._parts = [(one, share**0.5) for one, share in parts]
        self.noise = sum(one.noise * share for one, share in parts)
        self.alike = sum(one.alike * share for one, share in parts)

    def tools(self, texts: list[str]) -> Any:
        return np.concatenate([one.tools(texts) * scale for one, scale in self._parts], axis=1)

    def request(self, text: str) -> Any:
        return np.concatenate([one.request(text) * scale for one, scale in self._parts])
