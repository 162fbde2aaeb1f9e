"""The demonstration: several hundred real tools, through one compact surface."""

from ._play import play
from ._screens import Screens
from ._stage import Stage, demo_stage, servers_in, stage_of
from ._steps import Step

__all__ = ["Screens", "Stage", "Step", "demo_stage", "play", "servers_in", "stage_of"]
