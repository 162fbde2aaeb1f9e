"""How the index is written: Whoosh's segments, each with its postings in a few arrays.

Whoosh's own codec writes posting by posting and term by term. This one takes a term's documents
and shares as arrays, puts those of all terms one behind the other, and gives them back as they
lie, without a copy.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any
from zlib import crc32

from whoosh.codec.base import FieldWriter, PerDocumentWriter, TermsReader
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.filedb.filestore import Storage

DOCUMENTS, TERMS = ".doc", ".trm"

# Arrays begin at multiples of this many bytes.
ALIGNED = 8

# Terms are sorted in so many parts, by the first bits of their hashes.
PARTS = 256
PART_SHIFT = 24

# So many parts a field has in the file.
CHUNKS = 6

Chunk = bytes | memoryview

# The documents of a term, by number, and its share in each: see `_document`.
Postings = tuple[memoryview, memoryview]

# Keys, names and languages of documents.
Stored = tuple[list[str], list[str], list[str]]

# The postings of each term while they are gathered, as bytes: eight for each, the number of the
# document and its share behind it. A hundred thousand lists or arrays would keep the garbage
# collector busy, and all threads waiting for it.
Gathered = dict[str, bytearray]
SHARE_BITS = 16
MOST_SHARE = (1 << SHARE_BITS) - 1
POSTING = 8

NOTHING: Postings = (memoryview(b"").cast("I"), memoryview(b"").cast("H"))


class SharesCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec, but for what a document stores and how postings lie."""

    length_stats = False

    def per_document_writer(self, storage: Storage, segment: W3Segment) -> DocumentsWriter:
        return DocumentsWriter(storage, segment)

    def field_writer(self, storage: Storage, segment: W3Segment) -> TermsWriter:
        return TermsWriter(storage, segment)

    def terms_reader(self, storage: Storage, segment: W3Segment) -> Terms:
        return Terms(_read(storage, segment, TERMS))


class DocumentsWriter(PerDocumentWriter):  # type: ignore[misc]
    """Keeps each document's key, the terms of its name and its languages, with spaces between."""

    def __init__(self, storage: Storage, segment: W3Segment) -> None:
        self._storage, self._segment = storage, segment
        self.stored: Stored = [], [], []
        self.is_closed = False

    def close(self) -> None:
        _write(self._storage, self._segment, DOCUMENTS, [json.dumps(self.stored).encode()])
        self.is_closed = True


def documents(storage: Storage, segment: W3Segment) -> Stored:
    """Keys, names and languages of a segment's documents, removed ones included. Raises
    ValueError.
    """
    keys, names, tongues = json.loads(bytes(_read(storage, segment, DOCUMENTS)))
    if not len(keys) == len(names) == len(tongues) == segment.doc_count_all():
        raise ValueError("documents are missing")
    return keys, names, tongues


class TermsWriter(FieldWriter):  # type: ignore[misc]
    """Writes, for each field, its terms by their hashes, and where the postings of each begin."""

    def __init__(self, storage: Storage, segment: W3Segment) -> None:
        self._storage, self._segment = storage, segment
        self._chunks: list[Chunk] = []
        self._fields: list[str] = []
        self.is_closed = False

    def add_postings(
        self, _schema: Any, _lengths: Any, fields: Iterable[tuple[str, Gathered]]
    ) -> None:
        for field, gathered in fields:
            self._fields.append(field)
            terms = list(_in_order(gathered))
            postings = memoryview(b"".join(map(gathered.__getitem__, terms))).cast("Q")
            self._chunks += [
                "\n".join(terms).encode(),
                array("I", map(_hash, terms)).tobytes(),
                _ends(len(term.encode()) + 1 for term in terms),
                _ends(len(gathered[term]) // POSTING for term in terms),
                array("I", [posting >> SHARE_BITS for posting in postings]).tobytes(),
                array("H", [posting & MOST_SHARE for posting in postings]).tobytes(),
            ]

    def close(self) -> None:
        head = json.dumps([self._fields, [len(chunk) for chunk in self._chunks]]).encode()
        _write(self._storage, self._segment, TERMS, [head + b"\n", *self._chunks])
        self.is_closed = True


def _in_order(terms: Iterable[str]) -> Iterator[str]:
    """The terms by their hashes, sorted in parts: one long sort would let no other thread run."""
    parts: list[list[str]] = [[] for _ in range(PARTS)]
    for term in terms:
        parts[_hash(term) >> PART_SHIFT].append(term)
    for part in parts:
        yield from sorted(part, key=_hash)


def posting(number: int, share: int) -> bytes:
    return (number << SHARE_BITS | share).to_bytes(POSTING, sys.byteorder)


def _hash(term: str) -> int:
    return crc32(term.encode(errors="replace"))


def _ends(lengths: Iterable[int]) -> bytes:
    return array("I", accumulate(lengths, initial=0)).tobytes()


class Terms(TermsReader):  # type: ignore[misc]
    """The terms of a segment and their postings, read where they lie."""

    def __init__(self, data: memoryview) -> None:
        """Raises ValueError for what is no such file."""
        fields, chunks = _unpacked(data)
        self._fields = {
            field: FieldTerms(*chunks[CHUNKS * number : CHUNKS * (number + 1)])
            for number, field in enumerate(fields)
        }

    def field(self, name: str) -> FieldTerms:
        return self._fields.get(name, NO_TERMS)


class FieldTerms:
    """The terms of one field, found by their hashes."""

    def __init__(
        self,
        text: memoryview,
        hashes: memoryview,
        starts: memoryview,
        ends: memoryview,
        numbers: memoryview,
        shares: memoryview,
    ) -> None:
        self._text = bytes(text)
        self._hashes = hashes.cast("I")
        self._starts = starts.cast("I")
        self._ends = ends.cast("I")
        self._numbers = numbers.cast("I")
        self._shares = shares.cast("H")

    def __iter__(self) -> Iterator[str]:
        return iter(self._text.decode().split("\n") if self._text else ())

    def place(self, term: str) -> int | None:
        wanted, hashed = term.encode(errors="replace"), _hash(term)
        hashes, starts = self._hashes, self._starts
        place = bisect_left(hashes, hashed)
        while place < len(hashes) and hashes[place] == hashed:
            if self._text[starts[place] : starts[place + 1] - 1] == wanted:
                return place
            place += 1
        return None

    def postings(self, place: int) -> Postings:
        start, end = self._ends[place], self._ends[place + 1]
        return self._numbers[start:end], self._shares[start:end]


NO_TERMS = FieldTerms(*(memoryview(part) for part in (b"", b"", bytes(4), bytes(4), b"", b"")))


def _write(storage: Storage, segment: W3Segment, ending: str, chunks: Iterable[Chunk]) -> None:
    with segment.create_file(storage, ending) as stream:
        for chunk in chunks:
            stream.write(chunk)
            stream.write(b" " * (-len(chunk) % ALIGNED))


def _read(storage: Storage, segment: W3Segment, ending: str) -> memoryview:
    name = segment.make_filename(ending)
    if not storage.file_exists(name):
        raise ValueError(f"{name} is missing")
    return memoryview(storage.open_file(name).read())


def _unpacked(data: memoryview) -> tuple[Sequence[str], Sequence[memoryview]]:
    end = bytes(data[:4096]).find(b"\n") + 1
    fields, lengths = json.loads(bytes(data[:end]))
    chunks: list[memoryview] = []
    start = end + -end % ALIGNED
    for length in lengths:
        chunks.append(data[start : start + length])
        start += length + -length % ALIGNED
    if start > len(data):
        raise ValueError("postings are missing")
    return fields, chunks
