"""What the deciding hooks come to, once the answers of all plugins are put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from toolsearch_hookspecs import ApprovalDecision, AskReason, Deny, Diagnostic, Ruling

T = TypeVar("T")


@frozen
class Stamped(Generic[T]):
    """A value with the name of the plugin that it came from."""

    plugin: str
    value: T


Yielded = Stamped
"""What a registering hook yielded, stamped."""


@frozen(eq=False)
class PolicyVerdict:
    """What the policies say of the tools they were asked about, by tool id.

    A tool in neither is allowed; one that is denied is not in `asks`. `cacheable` is whether
    every policy gave a cache key, so that the verdict holds as long as tools and keys do.
    `diagnostics` name the policies that failed.
    """

    denied: Mapping[str, Stamped[Ruling]] = field(factory=dict)
    asks: Mapping[str, tuple[Stamped[Ruling], ...]] = field(factory=dict)
    cacheable: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()


@frozen
class BeforeOutcome:
    """What the hooks before a call came to: the arguments as they left them, by whom changed."""

    arguments: Mapping[str, Any]
    changed_by: tuple[str, ...] = ()
    denied: Stamped[Deny] | None = None
    asks: tuple[AskReason, ...] = ()


@frozen
class ApprovalOutcome:
    """The first answer, and the plugin that gave it (None: nobody did, it is rejected)."""

    decision: ApprovalDecision
    plugin: str | None = None
