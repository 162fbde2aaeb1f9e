"""The catalog: intake of what sources list, digests, resolution of ids and names, indexing."""

from ._catalog import Ambiguous, Catalog
from ._digest import digest, joined
from ._indexing import Indexing
from ._intake import Provenance, SourcePart, source_part
from ._inventory import Inventory, Snapshot, SourceDown, SourceEntry, noun, provenance_of

__all__ = [
    "Ambiguous",
    "Catalog",
    "Indexing",
    "Inventory",
    "Provenance",
    "Snapshot",
    "SourceDown",
    "SourceEntry",
    "SourcePart",
    "digest",
    "joined",
    "noun",
    "provenance_of",
    "source_part",
]
