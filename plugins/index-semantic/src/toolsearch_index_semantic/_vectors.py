"""Which tools a request is likest to, among those that a run may use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from toolsearch_hookspecs import Allowed, Tool

from ._encoder import Encoder
from ._table import Table, greatest, products
from ._text import encodable, text_of

MAX_VIEWS = 32

# So many tools are compared in full for each that is wanted, where a part of a vector is telling.
COMPARED = 8


@frozen(eq=False)
class View:
    """What a run may use of a table, in the order of the keys."""

    table: Table
    keys: Sequence[str]
    rows: Any


class VectorStore:
    """Changes are swapped in whole: a search sees the tools before or after."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._changing = threading.Lock()
        self._table = Table()
        self._looking = threading.Lock()
        self._views: OrderedDict[str, View] = OrderedDict()

    def change(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        texts = {tool.key: text_of(tool) for tool in added}
        vectors = self._encoder.tools(list(texts.values())) if texts else None
        with self._changing:
            table = self._table.without(removed | texts.keys())
            if vectors is not None:
                table = table.grown(list(texts), vectors, self._encoder.leading)
            self._table = table
        with self._looking:
            self._views.clear()

    def likest(self, text: str, allowed: Allowed, count: int) -> Mapping[str, float]:
        """The `count` likest allowed tools by key, and how alike each is, at most 1."""
        view = self._view(allowed)
        if not view.keys:
            return {}
        vector = self._encoder.request(encodable(text))
        rows, leading = view.rows, view.table.leading
        places = None
        if leading is not None and len(rows) > COMPARED * count:
            near = products(leading[: view.table.used], rows, vector[: leading.shape[1]])
            places = greatest(near, COMPARED * count)
            rows = rows[places]
        likeness = products(view.table.matrix[: view.table.used], rows, vector)
        best = greatest(likeness, count)
        numbers = best if places is None else places[best]
        return {
            view.keys[number]: value
            for number, value in zip(numbers.tolist(), likeness[best].tolist(), strict=True)
        }

    def _view(self, allowed: Allowed) -> View:
        table = self._table
        with self._looking:
            view = self._views.get(allowed.fingerprint)
            if view is None or view.table is not table:
                view = self._views[allowed.fingerprint] = _view(table, allowed)
            self._views.move_to_end(allowed.fingerprint)
            while len(self._views) > MAX_VIEWS:
                self._views.popitem(last=False)
        return view


def _view(table: Table, allowed: Allowed) -> View:
    keys = sorted(table.rows.keys() & allowed.keys)
    return View(table, keys, np.fromiter((table.rows[key] for key in keys), np.intp, len(keys)))
