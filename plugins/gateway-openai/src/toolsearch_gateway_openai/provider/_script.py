"""What a scripted model sees, and what it may do next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs


@attrs.frozen
class Told:
    """One call that the model made, and what it was told of it."""

    name: str
    arguments: Any
    text: str


@attrs.frozen
class Seen:
    """Everything that a request shows a model, in the form of neither API.

    `tools` are the parameters of each tool that may be called, `about` their descriptions,
    `told` the calls since the user's last words, in order.
    """

    model: str
    instructions: str
    user: str
    tools: Mapping[str, Any]
    about: Mapping[str, str]
    told: tuple[Told, ...]
    may_call: bool = True


@attrs.frozen
class Say:
    """An answer in words."""

    text: str


@attrs.frozen
class Free:
    """The free text of a call of a custom tool, in place of arguments."""

    text: str


@attrs.frozen
class Find:
    """A call of the provider's own tool search, for its client to execute."""

    query: str


@attrs.frozen
class Call:
    """Tool calls, with words before them. `cut_off` says that the answer became too long."""

    calls: tuple[tuple[str, Any], ...]
    text: str = ""
    cut_off: bool = False


@attrs.frozen
class Refuse:
    """No completion but an error."""

    status: int
    message: str = "refused by the script"
    headers: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class Break:
    """Some words, then the connection ends half-way."""

    text: str


Step = Say | Call | Refuse | Break
Script = Callable[[Seen], Awaitable[Step]]
