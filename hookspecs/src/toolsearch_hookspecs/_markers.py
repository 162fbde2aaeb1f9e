"""The two markers: `hookspec` for the contract, `hookimpl` for plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import pluggy

PROJECT = "toolsearch"
ENTRY_POINT_GROUP = "toolsearch.plugins"
INLINE_ATTRIBUTE = "toolsearch_inline"

F = TypeVar("F", bound=Callable[..., Any])

hookspec = pluggy.HookspecMarker(PROJECT)
_mark = pluggy.HookimplMarker(PROJECT)


@overload
def hookimpl(function: F) -> F: ...
@overload
def hookimpl(*, inline: bool = ..., specname: str | None = ...) -> Callable[[F], F]: ...
def hookimpl(
    function: F | None = None, *, inline: bool = False, specname: str | None = None
) -> F | Callable[[F], F]:
    """Mark a function as an implementation of a toolsearch hook.

    `inline=True` declares a plain `def` implementation of an asynchronous hook so cheap that it
    may run on the event loop; the host reports it when it turns out to be slow. Without it a
    `def` implementation runs on a worker thread of the host, so that its deadline holds.

    There is no `tryfirst`: the order of plugins is the deployment's (`plugins.order`, then name).
    """

    def mark(target: F) -> F:
        setattr(target, INLINE_ATTRIBUTE, inline)
        return _mark(specname=specname)(target)

    return mark if function is None else mark(function)
