"""What pytest loads in every project where toolsearch is installed: one fixture, nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ._hosts import ObservedHost


@pytest.fixture
def toolsearch_host(tmp_path: Path) -> Iterator[Callable[..., ObservedHost]]:
    """`async with toolsearch_host(config, source, plugins=[mine]) as host:` is a real host.

    See `toolsearch.testing.observed_host` for what it takes. Its state lies in `tmp_path`. A host
    that a test leaves open fails the test.
    """
    from ._hosts import observed_host

    made: list[ObservedHost] = []

    def make(*given: Any, **more: Any) -> ObservedHost:
        made.append(observed_host(tmp_path / f"state{len(made) or ''}", *given, **more))
        return made[-1]

    yield make
    if any(host.is_open for host in made):
        pytest.fail("the test left a host open; use `async with toolsearch_host(...) as host:`")
