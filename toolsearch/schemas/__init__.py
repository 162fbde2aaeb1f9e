"""JSON Schemas of strangers: judged before use, bounded in use, shown in a line."""

from ._dialects import Dialect, dialect_of
from ._keywords import MANY, NAMED, ONE, Place, places
from ._mended import Mended, mended, type_meant
from ._problems import SchemaProblem
from ._refs import Document
from ._scan import scan
from ._signature import signature
from ._validator import Validator
from ._validators import Validators
from ._violations import Violation, nearest_of, unknown

__all__ = [
    "MANY",
    "NAMED",
    "ONE",
    "Dialect",
    "Document",
    "Mended",
    "Place",
    "SchemaProblem",
    "Validator",
    "Validators",
    "Violation",
    "dialect_of",
    "mended",
    "nearest_of",
    "places",
    "scan",
    "signature",
    "type_meant",
    "unknown",
]
