"""Python functions as tools: those of named modules, and those of the embedding program."""

from ._plugin import PythonSourcePlugin as plugin  # noqa: N813 - the contract's name
from ._python_tools import PythonTools

__all__ = ["PythonTools", "plugin"]
