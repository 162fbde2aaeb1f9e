"""What runners of `code` mode in child processes share; a library for their authors.

A runner of another runtime is a `Runtime` (where the program is, how it is started, what its probe
tries) and a plugin that yields a `ChildRunner` over it.
"""

from ._process import Channel, Command, Spawner, StartError
from ._reading import first_line
from ._runner import ChildRunner
from ._runtime import Identity, Runtime, RuntimeMissingError
from ._settings import RunnerSettings

__all__ = [
    "Channel",
    "ChildRunner",
    "Command",
    "Identity",
    "RunnerSettings",
    "Runtime",
    "RuntimeMissingError",
    "Spawner",
    "StartError",
    "first_line",
]
