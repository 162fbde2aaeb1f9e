"""Results on their way back to a model: plain JSON, bounded, readable on; and the run's guards."""

from ._bound import bound
from ._guard import LoopGuard
from ._json import json_value
from ._sequencer import Sequencer
from ._store import READ_RESULT, Piece, ResultStore

__all__ = ["READ_RESULT", "LoopGuard", "Piece", "ResultStore", "Sequencer", "bound", "json_value"]
