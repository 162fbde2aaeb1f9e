from __future__ import annotations

import pytest

from .approvals_of import Desk


@pytest.fixture
async def desk(tmp_path):
    desk = Desk(tmp_path)
    yield desk
    await desk.close()
