"""What all servers of one host have around them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

from toolsearch_hookspecs import Limits

from ._eras import EraMemory
from ._settings import McpSettings


@attrs.frozen
class Surroundings:
    """What a server needs beside its own settings."""

    environ: Mapping[str, str]
    base_dir: Path
    state_dir: Path
    eras: EraMemory
    bounds: McpSettings
    limits: Limits
