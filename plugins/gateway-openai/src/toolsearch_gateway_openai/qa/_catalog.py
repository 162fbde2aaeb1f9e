"""A large catalog that nobody wrote by hand: long descriptions, closed schemas, one target."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import secrets
from collections.abc import Mapping
from typing import Any

import attrs

OWNER = "qa-catalog"
TARGET = 17
"""The number of the tool that is to be called, counted from one."""

DIRECT_ONLY = "qa_screen_view"
GIVEN: Mapping[str, str] = {"ticket": "QA-17", "reason": "calibration-due", "urgency": "high"}

_VERBS = (
    "recalibrate", "archive", "reassign", "audit", "duplicate", "suspend", "restore", "inspect",
    "translate", "schedule", "merge", "publish", "encrypt", "annotate", "cancel", "forecast",
    "reconcile", "sanitize", "benchmark", "rotate", "summarize", "validate", "import", "escalate",
    "freeze",
)  # fmt: skip
_THINGS = (
    "tide gauge", "payroll ledger", "conference room", "loading dock", "badge reader", "seed bank",
    "telescope mount", "ferry timetable", "patient chart", "vineyard sensor", "museum loan",
    "broadcast slot", "elevator panel", "freight manifest", "choir rehearsal", "reactor log",
    "parking permit", "library shelf", "recipe card", "weather balloon",
)  # fmt: skip
_PLACES = (
    "Oslo", "Lima", "Kyoto", "Porto", "Accra", "Quito", "Hanoi", "Perth", "Tunis", "Turin",
)  # fmt: skip


@attrs.frozen
class QaCatalog:
    """`tools` are the specs of the throw-away plugin; `secret` is what its receipts are made of."""

    tools: tuple[Mapping[str, Any], ...]
    secret: str = attrs.field(repr=False)

    @classmethod
    def of(cls, size: int) -> QaCatalog:
        """A catalog of `size` tools and one that is direct-only."""
        named = itertools.islice(_names(), size)
        tools = [_tool(number, *words) for number, words in enumerate(named, 1)]
        return cls((*tools, _direct_only()), secrets.token_hex(16))

    @property
    def target(self) -> Mapping[str, Any]:
        return self.tools[TARGET - 1]

    @property
    def what(self) -> str:
        """What the target does, in the words of its description."""
        return str(self.target["description"]).partition(".")[0]

    @property
    def target_id(self) -> str:
        return f"plugin:{OWNER}:{self.target['name']}"

    @property
    def words(self) -> str:
        """What the user asks for."""
        given = " ".join(f"{name}={value}" for name, value in GIVEN.items())
        return f"Please see to this: {self.what}, with {given}"

    @property
    def receipt(self) -> str:
        """What only the target's own execution, with the user's values, can answer."""
        said = json.dumps([self.target["name"], dict(GIVEN)], sort_keys=True)
        return hmac.new(self.secret.encode(), said.encode(), hashlib.sha256).hexdigest()

    @property
    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        return {str(tool["name"]): tool["input_schema"] for tool in self.tools}


def most_tools() -> int:
    return len(_VERBS) * len(_THINGS) * len(_PLACES)


def _names() -> itertools.product[tuple[str, str, str]]:
    return itertools.product(_PLACES, _THINGS, _VERBS)


def _tool(number: int, place: str, thing: str, verb: str) -> Mapping[str, Any]:
    about = (
        f"{verb} the {thing} in {place}. Takes the number of a ticket, the reason in a few words, "
        f"and how urgent it is; everybody who watches the {thing} is told, and the change is "
        "entered in the log of the site. Where the site keeps a calendar of its own, the entry "
        "there is moved along with it. May be repeated: a second request with the same ticket is "
        "answered with the receipt of the first. Sites that are closed for the season refuse, and "
        "say until when. The receipt should be kept with the ticket."
    )
    return {
        "name": f"{verb}_{thing}_{place}".lower().replace(" ", "_"),
        "description": about,
        "input_schema": {
            "type": "object",
            "properties": {
                "ticket": {"type": "string", "description": "The ticket, such as QA-1."},
                "reason": {"type": "string", "description": "Why, in a few words."},
                "urgency": {"enum": ["low", "normal", "high"], "description": "How soon."},
                "notify": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": f"Who else is told about the {thing}.",
                },
                "options": {
                    "type": "object",
                    "properties": {
                        "dry_run": {"type": "boolean", "description": "Only say what would be."},
                        "site_code": {"type": "integer", "minimum": number, "maximum": 10_000},
                    },
                    "additionalProperties": False,
                },
            },
            "required": ["ticket", "reason", "urgency"],
            "additionalProperties": False,
        },
    }


def _direct_only() -> Mapping[str, Any]:
    return {
        "name": DIRECT_ONLY,
        "description": "Show the operator's screen as it is now.",
        "input_schema": {"type": "object", "properties": {}, "additionalProperties": False},
        "catalog_mode": "direct-only",
    }
