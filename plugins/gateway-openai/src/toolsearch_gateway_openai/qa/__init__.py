"""`toolsearch qa`: the proof of the whole system, end to end."""

from ._command import qa_command

__all__ = ["qa_command"]
