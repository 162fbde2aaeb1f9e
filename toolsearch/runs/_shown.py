"""What a run shows, as it was last drawn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs

from toolsearch_hookspecs import Diagnostic, ToolDefinition

from ..catalog import Catalog
from ._cost import Cost
from ._modes import ChosenMode
from ._surface import PlannedSurface


@attrs.frozen
class Drawing:
    """What a run shows of one catalog, and what a person should know of it.

    `native_search` is what a provider's own tool search is told of ours, where the run leaves
    searching to the provider (S4.9).
    """

    catalog: Catalog
    mode: ChosenMode
    surface: PlannedSurface
    cost: Callable[[], Awaitable[Cost]]
    diagnostics: tuple[Diagnostic, ...]
    native_search: ToolDefinition | None = None
