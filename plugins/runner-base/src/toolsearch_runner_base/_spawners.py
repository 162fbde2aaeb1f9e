"""How children are started on this platform."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .process import Spawner


def spawner() -> Spawner:
    """The supervisor where processes fork; else children of this process."""
    if sys.platform == "win32":
        from ._plain import PlainSpawner

        return PlainSpawner()
    from ._supervised import SupervisedSpawner

    return SupervisedSpawner()
