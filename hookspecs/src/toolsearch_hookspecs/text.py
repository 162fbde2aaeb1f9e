"""Text that strangers wrote, made safe to show: in a prompt, on a terminal, in a log."""

from ._clean import clean
from ._line import cut, one_line

__all__ = ["clean", "cut", "one_line"]
