"""Runs a suite against an implementation that is wrong on purpose."""

from __future__ import annotations

import pytest


@pytest.fixture
def faults(tmp_path):
    """`faults(Suite)` runs every case of a suite; gives the messages of those that failed."""

    def run(suite: type) -> dict[str, str]:
        found = {}
        for number, name in enumerate(name for name in dir(suite) if name.startswith("test_")):
            folder = tmp_path / str(number)
            folder.mkdir()
            try:
                getattr(suite(), name)(folder)
            except pytest.fail.Exception as failure:
                found[name] = str(failure)
            except pytest.skip.Exception:
                pass
            except Exception as failure:  # noqa: BLE001  a case may raise what it likes
                found[name] = f"{type(failure).__name__}: {failure}"
        return found

    return run
