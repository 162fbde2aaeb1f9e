"""Finding, choosing and loading plugins, and calling their hooks."""

from ._answers import ApprovalOutcome, BeforeOutcome, PolicyVerdict, Stamped, Yielded
from ._contract import Violation, violation_of
from ._discovery import Discovery, FoundPlugin, PluginIdentity, discover
from ._hook_calls import HookCalls
from ._host import LoadedPlugin, PluginHost
from ._listing import plugin_table
from ._members import faults_of
from ._pins import files_digest
from ._plan import Plan, PlannedPlugin, PluginState, select
from ._selection import PluginSelection
from ._state import own_state_dir
from ._workers import Workers

__all__ = [
    "ApprovalOutcome",
    "BeforeOutcome",
    "Discovery",
    "FoundPlugin",
    "HookCalls",
    "LoadedPlugin",
    "Plan",
    "PlannedPlugin",
    "PluginHost",
    "PluginIdentity",
    "PluginSelection",
    "PluginState",
    "PolicyVerdict",
    "Stamped",
    "Violation",
    "Workers",
    "Yielded",
    "discover",
    "faults_of",
    "files_digest",
    "own_state_dir",
    "plugin_table",
    "select",
    "violation_of",
]
