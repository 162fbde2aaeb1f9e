"""Text that came from outside, made safe to show; names compared as people and models write them."""

from toolsearch_hookspecs.text import clean, cut, one_line

from ._names import Choices, fold, nearest, spelling, words
from ._prose import opening

__all__ = [
    "Choices", "clean", "cut", "fold", "nearest", "one_line", "opening", "spelling", "words",
]  # fmt: skip
