"""JSON Schemas of strangers: judged before use, bounded in use, shown in a line."""

from ._problems import SchemaProblem
from ._scan import scan
from ._signature import signature
from ._validator import Validator
from ._validators import Validators
from ._violations import Violation

__all__ = ["SchemaProblem", "Validator", "Validators", "Violation", "scan", "signature"]
