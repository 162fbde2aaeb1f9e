"""Keeps the vectors of tools on disk, for encoders that take long to make them."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ._sentences import SentenceEncoder

FILE = "vectors.sqlite"
BUSY_SECONDS = 5
MOST_VECTORS = 100_000
ASKED_AT_ONCE = 500

log = logging.getLogger(__name__)


class Remembered:
    """Encodes each text once, ever. Of a text only a digest is kept, which depends on the model.

    What cannot be read or written is encoded anew: the file is a convenience.
    """

    leading: int | None = None
    quick = False

    def __init__(self, encoder: SentenceEncoder, folder: Path) -> None:
        self._encoder = encoder
        self._path = folder / FILE
        self._bytes = encoder.request(" ").astype(np.float16).nbytes
        self.noise, self.alike, self.weight = encoder.noise, encoder.alike, encoder.weight

    def request(self, text: str) -> Any:
        return self._encoder.request(text)

    def tools(self, texts: list[str]) -> Any:
        keys = [self._key(text) for text in texts]
        known = self._read(list(dict.fromkeys(keys)))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            # Halved as they are on disk, so that a second start ranks exactly as the first.
            made = self._encoder.tools(list(new.values())).astype(np.float16)
            fresh = dict(zip(new, made, strict=True))
            self._write(fresh)
            known |= fresh
        return np.array([known[key] for key in keys], np.float32)

    def _key(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self._encoder.identity, digest_size=16).digest()

    def _read(self, keys: list[bytes]) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        try:
            with self._opened() as store:
                for start in range(0, len(keys), ASKED_AT_ONCE):
                    some = keys[start : start + ASKED_AT_ONCE]
                    wanted = f"key in ({','.join('?' * len(some))}) and length(vector) = ?"
                    rows = store.execute(
                        f"select key, vector from vectors where {wanted}",  # noqa: S608
                        [*some, self._bytes],
                    )
                    found |= {key: np.frombuffer(data, np.float16) for key, data in rows}
        except (sqlite3.Error, OSError) as error:
            log.warning("kept vectors were not read from %s: %s", self._path, error)
            return {}
        return found

    def _write(self, vectors: dict[bytes, Any]) -> None:
        try:
            with self._opened() as store, store:
                store.executemany(
                    "insert or replace into vectors values (?, ?)",
                    ((key, vector.tobytes()) for key, vector in vectors.items()),
                )
                store.execute(
                    "delete from vectors where rowid <= (select max(rowid) from vectors) - ?",
                    (MOST_VECTORS,),
                )
        except (sqlite3.Error, OSError) as error:
            log.warning("vectors were not kept in %s: %s", self._path, error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as store:
            store.execute("create table if not exists vectors(key blob unique, vector blob)")
            yield store
