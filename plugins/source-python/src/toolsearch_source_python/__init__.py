"""Python functions as tools: those of named modules, and those of the embedding program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._plugin import PythonSourcePlugin as plugin  # noqa: N813 - the contract's name

if TYPE_CHECKING:
    from ._python_tools import PythonTools

__all__ = ["PythonTools", "plugin"]


def __getattr__(name: str) -> Any:
    """`PythonTools` on first use: the command line imports the plugin and never needs it."""
    if name == "PythonTools":
        from ._python_tools import PythonTools

        return PythonTools
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
