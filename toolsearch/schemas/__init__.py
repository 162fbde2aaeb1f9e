"""JSON Schemas of strangers: judged before use, bounded in use, shown in a line."""

from ._keywords import MANY, NAMED, ONE, Place, places
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
    "Document",
    "Place",
    "SchemaProblem",
    "Validator",
    "Validators",
    "Violation",
    "nearest_of",
    "places",
    "scan",
    "signature",
    "unknown",
]
