"""Text that strangers wrote, made safe to show: in a prompt, on a terminal, in a log."""

from ._clean import clean
from ._line import cut, one_line
from ._redact import Redactor

__all__ = ["Redactor", "clean", "cut", "one_line"]
