"""Writes documents into a segment, many at a time, and merges segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from whoosh.fields import FieldType, Schema
from whoosh.formats import Existence
from whoosh.index import FileIndex
from whoosh.reading import SegmentReader
from whoosh.writing import SegmentWriter

from ._codec import Gathered, SharesCodec, Terms, documents, posting
from ._document import Document

BODY, PAIRS = "body", "pairs"


class Shares(FieldType):  # type: ignore[misc]
    """A field whose value is its terms with their shares, already analysed."""

    def __init__(self) -> None:
        super().__init__(Existence(), None)


def schema() -> Schema:
    return Schema(body=Shares(), pairs=Shares())


class Pool:
    """The postings of a segment as they come, by field and term."""

    def __init__(self) -> None:
        self._fields: dict[str, Gathered] = {BODY: {}, PAIRS: {}}

    def add(self, field: str, shares: Mapping[str, int], number: int) -> None:
        gathered = self._fields[field]
        for term, share in shares.items():
            if term in gathered:
                gathered[term] += posting(number, share)
            else:
                gathered[term] = bytearray(posting(number, share))

    def merge(self, field: str, terms: Terms, moved: Mapping[int, int]) -> None:
        """Take over another segment's postings, of those documents that are moved."""
        gathered = self._fields[field]
        found = terms.field(field)
        for place, term in enumerate(found):
            kept = [
                posting(moved[number], share)
                for number, share in zip(*found.postings(place), strict=True)
                if number in moved
            ]
            if kept:
                gathered.setdefault(term, bytearray()).extend(b"".join(kept))

    def iter_postings(self) -> Iterable[tuple[str, Gathered]]:
        return self._fields.items()

    def cleanup(self) -> None:
        for gathered in self._fields.values():
            while gathered:  # bit by bit, so that other threads run meanwhile
                gathered.popitem()


class DocumentWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer for whole documents, which are read already."""

    def __init__(self, index: FileIndex) -> None:
        super().__init__(index, codec=SharesCodec(), compound=False)
        self.pool = Pool()

    def add(self, document: Document) -> None:
        self._keep(document.key, " ".join(document.name), " ".join(document.tongues))
        self.pool.add(BODY, document.body, self.docnum)
        self.pool.add(PAIRS, document.pairs, self.docnum)
        self.docnum += 1

    def add_reader(self, reader: SegmentReader) -> None:
        segment = reader.segment()
        moved: dict[int, int] = {}
        stored = documents(self.storage, segment)
        for number, (key, name, tongues) in enumerate(zip(*stored, strict=True)):
            if not segment.is_deleted(number):
                moved[number] = self.docnum
                self._keep(key, name, tongues)
                self.docnum += 1
        terms = self.codec.terms_reader(self.storage, segment)
        for field in (BODY, PAIRS):
            self.pool.merge(field, terms, moved)

    def _keep(self, *fields: str) -> None:
        for kept, field in zip(self.perdocwriter.stored, fields, strict=True):
            kept.append(field)
        self._added = True
