"""The Whoosh index itself: a schema of weighted terms, one writer, and snapshots to read."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen
from whoosh import fields, formats
from whoosh.codec.whoosh3 import W3Codec
from whoosh.filedb.filestore import RamStorage
from whoosh.index import FileIndex
from whoosh.reading import IndexReader

from ._document import Document

BODY, PAIRS, NAME = "body", "pairs", "name"


class WeightedTerms(fields.FieldType):  # type: ignore[misc]
    """A field whose value is its terms with their weights, already analysed."""

    def __init__(self) -> None:
        super().__init__(formats.Existence(), None)

    def index(self, value: Any, **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        for term, weight in value.items():
            yield term.encode(), 1, weight, b""


class MemoryStorage(RamStorage):  # type: ignore[misc]
    """Memory for everything, temporary files included: Whoosh's own class puts those into one
    directory of a fixed name, where two builds at once would meet."""

    def temp_storage(self, name: str | None = None) -> MemoryStorage:
        return MemoryStorage()


def schema() -> fields.Schema:
    return fields.Schema(
        key=fields.ID(unique=True, stored=True),
        length=fields.STORED(),
        body=WeightedTerms(),
        pairs=WeightedTerms(),
        name=WeightedTerms(),
    )


class Segment:
    """One immutable part of the index; each term's postings are read from Whoosh once."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._postings: dict[tuple[str, str], tuple[tuple[int, ...], tuple[float, ...]]] = {}
        self.size: int = reader.doc_count_all()
        self.keys: list[str | None] = [None] * self.size
        self.lengths: list[float] = [0.0] * self.size
        for number, stored in reader.iter_docs():
            self.keys[number] = stored["key"]
            self.lengths[number] = stored["length"]

    def postings(self, name: str, term: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Documents and weights of a term; may name documents that were removed since."""
        found = self._postings.get((name, term))
        if found is None:
            with self._lock:
                found = self._postings[name, term] = self._read(name, term)
        return found

    def _read(self, name: str, term: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
        if (name, term) not in self._reader:
            return (), ()
        matcher = self._reader.postings(name, term)
        numbers, weights = [], []
        while matcher.is_active():
            numbers.append(matcher.id())
            weights.append(matcher.weight())
            matcher.next()
        return tuple(numbers), tuple(weights)

    def terms(self, name: str) -> list[str]:
        return [term.decode() for term in self._reader.lexicon(name)]


@frozen
class Snapshot:
    """The index at one moment: its segments, the number of the first document of each, and where
    each key's document stands (its segment, its number in there)."""

    segments: Sequence[Segment] = ()
    starts: Sequence[int] = ()
    places: Mapping[str, tuple[int, int]] = field(factory=dict)


class Store:
    """One Whoosh index in memory. `change` may be called from any thread, one at a time."""

    def __init__(self) -> None:
        self._index = FileIndex.create(MemoryStorage(), schema())
        self._lock = threading.Lock()
        self._segments: dict[str, Segment] = {}
        self._codec = W3Codec(compression=0)
        self.snapshot = Snapshot()

    def change(self, added: Iterable[Document], removed: frozenset[str]) -> None:
        """Add documents and remove keys; readers see all of it or nothing."""
        with self._lock:
            before = self.snapshot
            writer = self._index.writer(codec=self._codec)
            for key in removed & before.places.keys():
                segment, number = before.places[key]
                writer.delete_document(before.starts[segment] + number)
            for document in added:
                if document.key not in before.places or document.key in removed:
                    writer.add_document(
                        key=document.key,
                        length=document.length,
                        body=document.body,
                        pairs=document.pairs,
                        name=dict.fromkeys(document.name, 1.0),
                    )
            writer.commit()
            self.snapshot = self._read()

    def _read(self) -> Snapshot:
        segments: dict[str, Segment] = {}
        starts: list[int] = []
        places: dict[str, tuple[int, int]] = {}
        for leaf, start in self._index.reader().leaf_readers():
            name = leaf.segment().segment_id()
            segment = segments[name] = self._segments.get(name) or Segment(leaf)
            starts.append(start)
            for number, key in enumerate(segment.keys):
                if key is not None and not leaf.is_deleted(number):
                    places[key] = (len(starts) - 1, number)
        self._segments = segments
        return Snapshot(tuple(segments.values()), starts, places)
