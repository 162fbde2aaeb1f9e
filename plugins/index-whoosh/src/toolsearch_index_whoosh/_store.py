"""The Whoosh index itself: a schema of weighted terms, one writer, and snapshots to read."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pickle import UnpicklingError
from typing import Any

from attrs import field, frozen
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.fields import STORED, FieldType, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.formats import Existence
from whoosh.index import FileIndex
from whoosh.index import IndexError as IndexError_
from whoosh.reading import SegmentReader
from whoosh.writing import MERGE_SMALL, NO_MERGE, OPTIMIZE, SegmentWriter

from ._document import Document

BODY, PAIRS, NAME = "body", "pairs", "name"

# Whoosh sorts the postings of one segment in memory here: its way of sorting them on disk does not
# work with a storage in memory. Large additions become several segments of this many documents.
SEGMENT = 10_000
NEVER_SPILL = 1 << 20

Merge = Callable[[SegmentWriter, list[W3Segment]], list[W3Segment]]

# Document numbers (32-bit integers) and weights (32-bit floats) of one term in one segment.
Postings = tuple["array[int]", "array[float]"]


class WeightedTerms(FieldType):  # type: ignore[misc]
    """A field whose value is its terms with their weights, already analysed."""

    def __init__(self) -> None:
        super().__init__(Existence(), None)

    def index(self, value: Any, **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        for term, weight in value.items():
            yield term.encode(), 1, weight, b""


class LengthlessCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec without its byte-sized lengths, which this scoring does not read."""

    length_stats = False


class MemoryStorage(RamStorage):  # type: ignore[misc]
    """Memory for everything, temporary files included: Whoosh's own class puts those into one
    directory of a fixed name, where two builds at once would meet.
    """

    def temp_storage(self, name: str | None = None) -> MemoryStorage:
        return MemoryStorage()


def schema() -> Schema:
    return Schema(
        key=STORED(),
        length=STORED(),
        body=WeightedTerms(),
        pairs=WeightedTerms(),
        name=WeightedTerms(),
    )


class Segment:
    """One immutable part of the index; each term's postings are read from Whoosh once."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._postings: dict[tuple[str, str], Postings] = {}
        self._vocabulary = frozenset(term.decode() for term in reader.lexicon(BODY))
        self.size: int = reader.doc_count_all()
        stored = [fields for _, fields in reader.iter_docs()]
        self.keys: list[str] = [fields["key"] for fields in stored]
        self.lengths: list[float] = [fields["length"] for fields in stored]

    def postings(self, field: str, term: str) -> Postings:
        """Documents and weights of a term; may name documents that were removed since."""
        found = self._postings.get((field, term))
        if found is None:
            with self._lock:
                found = self._read(field, term)
            if found[0]:
                self._postings[field, term] = found
        return found

    def has(self, term: str) -> bool:
        return term in self._vocabulary

    def _read(self, field: str, term: str) -> Postings:
        numbers, weights = array("i"), array("f")
        if term in self._vocabulary if field == BODY else (field, term) in self._reader:
            matcher = self._reader.postings(field, term)
            while matcher.is_active():
                numbers.append(matcher.id())
                weights.append(matcher.weight())
                matcher.next()
        return numbers, weights


@frozen
class Snapshot:
    """The index at one moment: its segments by name, and where each key's document stands (the
    name of its segment, its number in there).
    """

    segments: Mapping[str, Segment] = field(factory=dict)
    places: Mapping[str, tuple[str, int]] = field(factory=dict)


class Store:
    """One Whoosh index in memory. `change` may be called from any thread, one at a time."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        """An empty index, or the one that `files` hold. Raises ValueError where they hold none."""
        self._storage = MemoryStorage()
        self._lock = threading.Lock()
        self.snapshot = Snapshot()
        if files is None:
            self._index = FileIndex.create(self._storage, schema())
        else:
            self._storage.files.update(files)
            self._index = _reopened(self._storage)
            readers = self._index.reader().leaf_readers()
            self.snapshot = self._after(
                Snapshot(), frozenset(), [reader.segment() for reader, _ in readers]
            )

    @property
    def files(self) -> Mapping[str, bytes]:
        """All that `Store(files)` needs, while nothing is being changed."""
        return dict(self._storage.files)

    def change(self, added: Iterable[Document], removed: frozenset[str]) -> None:
        """Add documents of keys not there, or removed now, and remove keys; readers see all of it or
        nothing. The documents are made as they are written, so that few are held at a time."""
        with self._lock:
            before = self.snapshot
            gone = removed & before.places.keys()
            writer = self._writer()
            try:
                _delete(writer, [before.places[key] for key in gone])
                for count, document in enumerate(added, 1):
                    if document.key not in before.places or document.key in removed:
                        _write(writer, document)
                    if count % SEGMENT == 0:
                        self._commit(writer, NO_MERGE)
                        writer = self._writer()
            except BaseException:
                writer.cancel()
                raise
            segments = self._commit(writer, _merged)
            self.snapshot = self._after(before, gone, segments)

    def _writer(self) -> SegmentWriter:
        return SegmentWriter(self._index, codec=LengthlessCodec(compression=0), limitmb=NEVER_SPILL)

    def _commit(self, writer: SegmentWriter, merge: Merge) -> list[W3Segment]:
        """The segments of the index after the writer's changes."""
        segments: list[W3Segment] = []

        def recorded(writer: SegmentWriter, before: list[W3Segment]) -> list[W3Segment]:
            segments[:] = merge(writer, before)
            return segments

        writer.commit(mergetype=recorded)
        return segments

    def _after(
        self, before: Snapshot, gone: frozenset[str], segments: Sequence[W3Segment]
    ) -> Snapshot:
        places = dict(before.places)
        for key in gone:
            del places[key]
        present: dict[str, Segment] = {}
        for segment in segments:
            name = segment.segment_id()
            if name in before.segments:
                present[name] = before.segments[name]
            elif segment.doc_count_all():
                reader = SegmentReader(self._index.storage, self._index.schema, segment)
                opened = present[name] = Segment(reader)
                places.update((key, (name, number)) for number, key in enumerate(opened.keys))
        return Snapshot(present, places)


def _reopened(storage: MemoryStorage) -> FileIndex:
    try:
        index = FileIndex(storage, schema())
        index.reader().close()
    except (IndexError_, OSError, NameError, ValueError, UnpicklingError) as error:
        raise ValueError(f"no index: {error}") from error
    return index


def _delete(writer: SegmentWriter, places: Iterable[tuple[str, int]]) -> None:
    segments = {segment.segment_id(): segment for segment in writer.segments}
    for name, number in places:
        segments[name].delete_document(number)


def _write(writer: SegmentWriter, document: Document) -> None:
    writer.add_document(
        key=document.key,
        length=document.length,
        body=document.body,
        pairs=document.pairs,
        name=dict.fromkeys(document.name, 1.0 / max(1, len(document.name))),
    )


def _merged(writer: SegmentWriter, segments: list[W3Segment]) -> list[W3Segment]:
    """Merge small segments as Whoosh does, and rewrite those that are mostly removed."""
    worn = [one for one in segments if one.deleted_count() * 2 > one.doc_count_all()]
    OPTIMIZE(writer, worn)
    kept: list[W3Segment] = MERGE_SMALL(writer, [one for one in segments if one not in worn])
    return kept
