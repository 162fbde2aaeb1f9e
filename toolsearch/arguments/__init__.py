"""Arguments as models send them, mended without guessing; what is wrong, said so that it helps."""

from ._control import ControlCall, read_control_call
from ._explain import explain_violations
from ._misspelt import misspelt
from ._problem import ArgumentProblem
from ._repair import Repaired, repair

__all__ = [
    "ArgumentProblem",
    "ControlCall",
    "Repaired",
    "explain_violations",
    "misspelt",
    "read_control_call",
    "repair",
]
