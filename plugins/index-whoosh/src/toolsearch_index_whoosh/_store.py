"""The Whoosh index itself: a schema of weighted terms, one writer, and snapshots to read."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen
from whoosh import fields, formats
from whoosh.codec.whoosh3 import W3Codec
from whoosh.filedb.filestore import RamStorage
from whoosh.index import FileIndex
from whoosh.reading import IndexReader
from whoosh.writing import IndexWriter

from ._document import Document

BODY, PAIRS, NAME = "body", "pairs", "name"

# Whoosh sorts the postings of one segment in memory here: its way of sorting them on disk does not
# work with a storage in memory. Large additions become several segments of this many documents.
SEGMENT = 10_000
NEVER_SPILL = 1 << 20

# Document numbers (32-bit integers) and weights (32-bit floats) of one term in one segment.
Postings = tuple["array[int]", "array[float]"]


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
        self._postings: dict[tuple[str, str], Postings] = {}
        self.size: int = reader.doc_count_all()
        self.keys: list[str | None] = [None] * self.size
        self.lengths: list[float] = [0.0] * self.size
        for number, stored in reader.iter_docs():
            self.keys[number] = stored["key"]
            self.lengths[number] = stored["length"]

    def postings(self, field: str, term: str) -> Postings:
        """Documents and weights of a term; may name documents that were removed since."""
        found = self._postings.get((field, term))
        if found is None:
            with self._lock:
                found = self._postings[field, term] = self._read(field, term)
        return found

    def has(self, term: str) -> bool:
        return (BODY, term) in self._reader

    def _read(self, field: str, term: str) -> Postings:
        numbers, weights = array("i"), array("f")
        if (field, term) in self._reader:
            matcher = self._reader.postings(field, term)
            while matcher.is_active():
                numbers.append(matcher.id())
                weights.append(matcher.weight())
                matcher.next()
        return numbers, weights


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
            writer = self._writer()
            for key in removed & before.places.keys():
                segment, number = before.places[key]
                writer.delete_document(before.starts[segment] + number)
            for count, document in enumerate(added, 1):
                if document.key not in before.places or document.key in removed:
                    _write(writer, document)
                if count % SEGMENT == 0:
                    writer.commit(merge=False)
                    writer = self._writer()
            writer.commit()
            self.snapshot = self._read()

    def _writer(self) -> IndexWriter:
        return self._index.writer(codec=self._codec, limitmb=NEVER_SPILL)

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


def _write(writer: IndexWriter, document: Document) -> None:
    writer.add_document(
        key=document.key,
        length=document.length,
        body=document.body,
        pairs=document.pairs,
        name=dict.fromkeys(document.name, 1.0 / max(1, len(document.name))),
    )
