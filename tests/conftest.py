"""Hosts for the tests: real plugins, throw-away state, every event kept."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from toolsearch.testing import CapturedEvents as Events
from toolsearch.testing import ListSource, Yields, observed_host
from toolsearch.testing.pytest_plugin import toolsearch_host

from .third_party import elsewhere

__all__ = ["Events", "ListSource", "Yields", "elsewhere", "toolsearch_host"]


@pytest.fixture
async def started(tmp_path):
    """`await started(config, *sources, plugins=[...])` gives a started host; closed at the end.

    The host's events are at `host.events`, its log under a throw-away state folder.
    """
    async with AsyncExitStack() as stack:

        async def start(config=None, *sources, plugins=(), **more):
            host = observed_host(tmp_path / "state", config, *sources, plugins=plugins, **more)
            return await stack.enter_async_context(host)

        yield start
