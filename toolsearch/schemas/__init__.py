"""JSON Schemas of strangers: judged before use, bounded in use, shown in a line."""

from ._problems import SchemaProblem
from ._refs import Document
from ._scan import scan
from ._signature import signature
from ._validator import Validator
from ._validators import Validators
from ._violations import Violation, unknown

__all__ = [
    "Document",
    "SchemaProblem",
    "Validator",
    "Validators",
    "Violation",
    "scan",
    "signature",
    "unknown",
]
