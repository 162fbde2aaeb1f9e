"""For the tests of plugins and of programs that embed the host; nothing here is loaded otherwise.

`class TestMine(ToolSourceConformance): plugin = mine` in a test file runs the whole suite of that
stage. The fixture `toolsearch_host` is there wherever toolsearch is installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._approver_suite import ApproverConformance
    from ._case import Conformance, case, expect
    from ._events import CapturedEvents
    from ._hosts import ObservedHost, Yields, observed_host, rogue_server
    from ._index_suite import SearchIndexConformance
    from ._list_source import ListSource
    from ._loopback import LoopbackProvider, awkward_source
    from ._mode_suite import ModeRendererConformance
    from ._policy_suite import PolicyConformance
    from ._runner_suite import CodeRunnerConformance
    from ._samples import HOSTILE_TEXTS, make_call, make_request, make_run, make_tool, sample_tools
    from ._scripted_model import ScriptedModel
    from ._source_suite import ToolSourceConformance
    from ._surface_suite import SurfaceConformance
    from ._telemetry_suite import TelemetryConformance

__all__ = [
    "HOSTILE_TEXTS",
    "ApproverConformance",
    "CapturedEvents",
    "CodeRunnerConformance",
    "Conformance",
    "ListSource",
    "LoopbackProvider",
    "ModeRendererConformance",
    "ObservedHost",
    "PolicyConformance",
    "ScriptedModel",
    "SearchIndexConformance",
    "SurfaceConformance",
    "TelemetryConformance",
    "ToolSourceConformance",
    "Yields",
    "awkward_source",
    "case",
    "expect",
    "make_call",
    "make_request",
    "make_run",
    "make_tool",
    "observed_host",
    "rogue_server",
    "sample_tools",
]

_HOME = {
    "ApproverConformance": "_approver_suite",
    "CapturedEvents": "_events",
    "CodeRunnerConformance": "_runner_suite",
    "Conformance": "_case",
    "ListSource": "_list_source",
    "LoopbackProvider": "_loopback",
    "ModeRendererConformance": "_mode_suite",
    "ObservedHost": "_hosts",
    "PolicyConformance": "_policy_suite",
    "ScriptedModel": "_scripted_model",
    "SearchIndexConformance": "_index_suite",
    "SurfaceConformance": "_surface_suite",
    "TelemetryConformance": "_telemetry_suite",
    "ToolSourceConformance": "_source_suite",
    "Yields": "_hosts",
    "awkward_source": "_loopback",
    "case": "_case",
    "expect": "_case",
    "observed_host": "_hosts",
    "rogue_server": "_hosts",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_HOME.get(name, '_samples')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
