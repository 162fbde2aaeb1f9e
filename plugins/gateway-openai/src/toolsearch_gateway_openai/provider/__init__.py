"""A provider to test against: the OpenAI API with a script in place of a model."""

from ._app import Provider, Received, serving
from ._planner import Goal, Planner
from ._script import Break, Call, Find, Free, Refuse, Say, Script, Seen, Step, Told

__all__ = [
    "Break",
    "Call",
    "Find",
    "Free",
    "Goal",
    "Planner",
    "Provider",
    "Received",
    "Refuse",
    "Say",
    "Script",
    "Seen",
    "Step",
    "Told",
    "serving",
]
