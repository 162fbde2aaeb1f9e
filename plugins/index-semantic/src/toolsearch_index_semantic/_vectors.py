"""The vectors of all tools, and the rows of them that a run may use."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from toolsearch_hookspecs import Allowed, Tool

from ._encoders import Encoder

MAX_VIEWS = 32
MAX_TEXT = 600

_SPLIT = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_\-.]+")


@frozen(eq=False)
class Vectors:
    """One row for each key."""

    keys: tuple[str, ...]
    matrix: Any


@frozen
class Near:
    """Likenesses of the allowed tools to a request, by key."""

    keys: Sequence[str]
    likeness: Any

    def best(self, count: int) -> Mapping[str, float]:
        order = np.arange(len(self.likeness))
        if count < len(order):
            order = np.sort(np.argpartition(-self.likeness, count)[:count])
        order = order[np.argsort(-self.likeness[order], kind="stable")]
        return {self.keys[row]: float(self.likeness[row]) for row in order.tolist()}


class VectorStore:
    """Changes are swapped in whole: a search sees the tools before or after."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()
        self._vectors: Vectors | None = None
        self._views: OrderedDict[str, tuple[Vectors, list[str], Any]] = OrderedDict()

    def change(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        new = {tool.key: text_of(tool) for tool in added}
        rows = self._encoder.encode(list(new.values())) if new else None
        with self._lock:
            keys: list[str] = []
            parts: list[Any] = []
            if self._vectors is not None:
                kept = [
                    row
                    for row, key in enumerate(self._vectors.keys)
                    if key not in removed and key not in new
                ]
                keys += [self._vectors.keys[row] for row in kept]
                parts.append(self._vectors.matrix[kept])
            if rows is not None:
                keys += new
                parts.append(rows)
            self._vectors = Vectors(tuple(keys), np.concatenate(parts)) if keys else None

    def near(self, text: str, allowed: Allowed) -> Near:
        vectors = self._vectors
        if vectors is None:
            return Near((), np.zeros(0, np.float32))
        keys, matrix = self._view(vectors, allowed)
        return Near(keys, matrix @ self._encoder.encode([encodable(text)])[0])

    def _view(self, vectors: Vectors, allowed: Allowed) -> tuple[list[str], Any]:
        found = self._views.get(allowed.fingerprint)
        if found is None or found[0] is not vectors:
            rows = [row for row, key in enumerate(vectors.keys) if key in allowed.keys]
            rows.sort(key=vectors.keys.__getitem__)
            found = vectors, [vectors.keys[row] for row in rows], vectors.matrix[rows]
            self._views[allowed.fingerprint] = found
            while len(self._views) > MAX_VIEWS:
                self._views.popitem(last=False)
        return found[1], found[2]


def text_of(tool: Tool) -> str:
    """What of a tool is encoded: its name in words, and the beginning of its description."""
    name = _SPLIT.sub(" ", tool.name)
    return encodable(f"{name}. {tool.label or ''} {tool.description[:MAX_TEXT]}")


def encodable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text.encode(errors="replace").decode()
