"""What a view has made and may need again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar


class Held(Protocol):
    """A value that knows how many bytes it holds, about."""

    @property
    def held(self) -> int: ...


K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Held)


class Remembered(Generic[K, V]):
    """Values by key, with the bytes that all of them hold."""

    def __init__(self) -> None:
        self.held = 0
        self._values: dict[K, V] = {}
        self.get = self._values.get

    def keep(self, key: K, value: V) -> V:
        self.held += OVERHEAD + value.held
        self._values[key] = value
        return value

    def forget(self) -> None:
        self._values.clear()
        self.held = 0


OVERHEAD = 300  # bytes of a key, its place and an empty value
