"""The Whoosh index itself: one writer, its segments, and snapshots to read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pickle import UnpicklingError

from attrs import field, frozen
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import RamStorage
from whoosh.index import FileIndex
from whoosh.index import IndexError as IndexError_
from whoosh.writing import MERGE_SMALL, NO_MERGE, OPTIMIZE, SegmentWriter

from ._codec import NOTHING, Postings, SharesCodec, documents
from ._document import Document
from ._writer import BODY, DocumentWriter, schema

# Large additions become several segments of this many documents: a segment's postings are held
# until it is written.
SEGMENT = 10_000

Merge = Callable[[SegmentWriter, list[W3Segment]], list[W3Segment]]


class MemoryStorage(RamStorage):  # type: ignore[misc]
    """Memory for everything, temporary files included: Whoosh's own class puts those into one
    directory of a fixed name, where two builds at once would meet.
    """

    def temp_storage(self, name: str | None = None) -> MemoryStorage:
        return MemoryStorage()


class Segment:
    """One immutable part of the index, its removed documents included."""

    def __init__(self, storage: RamStorage, segment: W3Segment) -> None:
        """Raises ValueError where the segment's files do not hold what they should."""
        self._terms = SharesCodec().terms_reader(storage, segment)
        self._places = {term: place for place, term in enumerate(self._terms.field(BODY))}
        self.keys, names, self.tongues = documents(storage, segment)
        self.names = [tuple(map(sys.intern, name.split(" "))) for name in names]
        self.size = len(self.keys)

    def postings(self, field: str, term: str) -> Postings:
        """Documents and shares of a term; may name documents that were removed since."""
        terms = self._terms.field(field)
        place = self._places.get(term) if field == BODY else terms.place(term)
        return NOTHING if place is None else terms.postings(place)

    def has(self, term: str) -> bool:
        """Whether the term is in the body of a document."""
        return term in self._places


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
            self.snapshot = self._after(
                Snapshot(),
                frozenset(),
                [reader.segment() for reader, _ in self._index.reader().leaf_readers()],
            )

    @property
    def files(self) -> Mapping[str, bytes]:
        """All that `Store(files)` needs, while nothing is being changed."""
        return dict(self._storage.files)

    def change(self, added: Iterable[Document], removed: frozenset[str]) -> None:
        """Add documents of keys not there, or removed now, and remove keys; readers see all of it or
        nothing. The documents are made as they are written, so that few are held at a time."""
        with self._lock:
            files = dict(self._storage.files)
            try:
                self.snapshot = self._changed(added, removed)
            except BaseException:
                self._storage.files = files
                self._storage.locks.clear()
                raise

    def _changed(self, added: Iterable[Document], removed: frozenset[str]) -> Snapshot:
        before = self.snapshot
        gone = removed & before.places.keys()
        writer = DocumentWriter(self._index)
        _delete(writer, [before.places[key] for key in gone])
        for count, document in enumerate(added, 1):
            if document.key not in before.places or document.key in removed:
                writer.add(document)
            if count % SEGMENT == 0:
                self._commit(writer, NO_MERGE)
                writer = DocumentWriter(self._index)
        return self._after(before, gone, self._commit(writer, _merged))

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
                opened = present[name] = Segment(self._storage, segment)
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


def _merged(writer: SegmentWriter, segments: list[W3Segment]) -> list[W3Segment]:
    """Merge small segments as Whoosh does, and rewrite those that are mostly removed."""
    worn = [one for one in segments if one.deleted_count() * 2 > one.doc_count_all()]
    OPTIMIZE(writer, worn)
    kept: list[W3Segment] = MERGE_SMALL(writer, [one for one in segments if one not in worn])
    return kept
