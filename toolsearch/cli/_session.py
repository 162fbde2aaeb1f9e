"""What one invocation knows: its options, its configuration, and its host on demand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

if TYPE_CHECKING:
    from toolsearch_hookspecs import Diagnostic

    from ..config import ConfigDocument
    from ..host import Host
    from ._find import Search
    from ._output import Output

T = TypeVar("T")


@attrs.define
class Session:
    """The options of one invocation; what they lead to is made when it is asked for."""

    environ: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    config: str | None = None
    enable: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    json: bool = False
    verbose: int = 0
    _told: dict[str, Diagnostic] = attrs.field(factory=dict, init=False, repr=False, eq=False)

    @property
    def out(self) -> Output:
        from ._output import Output

        return Output(json=self.json, verbose=self.verbose)

    @property
    def selection(self) -> dict[str, Any]:
        """What the command line says of plugins, over environment and file."""
        return {"enabled": self.enable or None, "disabled": self.disable or None}

    def loads_as(self, other: Session) -> bool:
        """Whether both lead to the same configuration and plugins."""
        return (self.config, self.enable, self.disable) == (
            other.config,
            other.enable,
            other.disable,
        )

    def search(self) -> Search:
        """Where the configuration is, and where it was looked for."""
        from ._find import search_config

        return search_config(self.config, self.environ)

    def document(self) -> ConfigDocument:
        """The configuration as it was written; an empty one where there is none."""
        from ..config import read_config

        found = self.search().found
        if found is None:
            return read_config(None, self.environ)
        return read_config(found.path, self.environ, trusted=found.named)

    def hear_logs(self) -> None:
        """Have what is logged said as far as -v asks for it, tracebacks of plugins included.

        It is said as diagnostics too; unasked, it does not stand between results, except for
        records marked `for_a_person`: somebody has to act now.
        """
        import logging

        from ..tracebacks import tell
        from ._person import to_a_person

        tell(self.out.note if self.verbose else None)
        if self.verbose:
            logging.basicConfig(level=logging.DEBUG if self.verbose > 1 else logging.INFO)
            return
        to_a_person(self.out.note)

    def new_host(self, *, turned_on: bool = False) -> Host:
        """A host that is not started."""
        from ..host import Host
        from ._person import CONSOLE, at_a_terminal, to_a_person

        self.hear_logs()
        found = self.search().found
        made = Host.from_config(
            None if found is None else found.path,
            environ=self.environ,
            selection=self.selection,
            trusted=found is None or found.named,
            turned_on=turned_on,
        )
        if made.plugins.plugin(CONSOLE) is not None and at_a_terminal():
            to_a_person(None)
        return made

    @asynccontextmanager
    async def host(
        self,
        made: Host | None = None,
        *,
        turned_on: bool = False,
        only: tuple[str, str] | None = None,
    ) -> AsyncIterator[Host]:
        """The host of this invocation (`made`, where there is one already), started on entry and
        closed on exit; what it has to say by then, and what came up meanwhile, is said on the
        error stream. `only` is for `Host.start`.
        """
        from ..tracebacks import counted

        with counted() as failures:
            made = made or self.new_host(turned_on=turned_on)
            try:
                async with aclosing(made):
                    await made.start(only=only)
                    self.tell(made.diagnostics())
                    yield made
            finally:
                self.tell(made.diagnostics())
                if failures and not self.verbose:
                    self.out.note("A plugin's own code failed; -v shows where.")

    def tell(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Say diagnostics on the error stream, each once an invocation; that the hook of a policy
        failed, only where its consequence was not said.
        """
        fresh = [each for each in diagnostics if each.message not in self._told]
        self._told |= {each.message: each for each in fresh}
        denying = {each.subject for each in self._told.values() if each.code == "policy.failed"}
        self.out.diagnostics(
            each
            for each in fresh
            if not (each.code == "plugins.hook-failed" and each.subject in denying)
            or "hook toolsearch_tool_policy" not in each.message
        )

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the asynchronous part of a command; it closes what it started, whoever ends it."""
        from ._serving import ended_in_order

        return ended_in_order(work)
