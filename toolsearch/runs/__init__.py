"""Runs: planning, the surface, and answering what the model calls."""

from ._assembly import Assembly, RunRequest
from ._client import ClientSource
from ._control import CONTROL_NAMES, definitions, kinds_of_tools
from ._cost import Cost, Costs, Exposure
from ._descriptors import compact
from ._drawing import drawn
from ._modes import ChosenMode, Modes
from ._planner import Planned, Planner
from ._respond import Answer, Step
from ._run import Run
from ._schemas import LikelyTools
from ._search import Found, Search, serialized_bytes
from ._surface import DIRECT, PlannedSurface, composed, direct_bytes, refuse_conflicts

__all__ = [
    "CONTROL_NAMES",
    "DIRECT",
    "Answer",
    "Assembly",
    "ChosenMode",
    "ClientSource",
    "Cost",
    "Costs",
    "Exposure",
    "Found",
    "LikelyTools",
    "Modes",
    "Planned",
    "PlannedSurface",
    "Planner",
    "Run",
    "RunRequest",
    "Search",
    "Step",
    "compact",
    "composed",
    "definitions",
    "direct_bytes",
    "drawn",
    "kinds_of_tools",
    "refuse_conflicts",
    "serialized_bytes",
]
