"""What every suite is made of: a fresh subject a case, a deadline, and messages that say what to do."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from pydantic import TypeAdapter

from toolsearch.plugins import violation_of
from toolsearch_hookspecs import (
    CodeRunner,
    ModeRenderer,
    PluginContext,
    SearchIndex,
    SettingsSpec,
    Surface,
    ToolSource,
)

HOOKS: Mapping[str, type] = {
    "toolsearch_tool_sources": ToolSource,
    "toolsearch_search_indexes": SearchIndex,
    "toolsearch_mode_renderers": ModeRenderer,
    "toolsearch_code_runners": CodeRunner,
    "toolsearch_surfaces": Surface,
}
S = TypeVar("S", bound="Conformance")
UNDER_TEST = "under-test"


class Nonconforming(AssertionError):
    """A case failed; the message says to the author what to do."""


def expect(condition: object, message: str) -> None:
    """Fail the case with a message for the author, unless the condition holds."""
    __tracebackhide__ = True
    if not condition:
        raise Nonconforming(message)


def case(body: Callable[[S, Any], Awaitable[None]]) -> Callable[[S, Path], None]:
    """Make a case of an async method that takes a fresh subject.

    The case runs in a loop of its own, so that a suite needs no asyncio plugin of pytest.
    """
    named: Any = body

    async def with_subject(self: S, folder: Path) -> None:
        subject = await self.subject(folder)
        try:
            await self.ready(subject, named.__name__)
            await body(self, subject)
        finally:
            await self.close(subject)

    return _test(body, with_subject)


def scene(body: Callable[[S, Path], Awaitable[None]]) -> Callable[[S, Path], None]:
    """Make a case of an async method that makes its subjects itself, from a folder."""
    return _test(body, body)


def _test(
    named: Callable[..., Any], body: Callable[[S, Path], Awaitable[None]]
) -> Callable[[S, Path], None]:
    def test(self: S, tmp_path: Path) -> None:
        __tracebackhide__ = True
        fault = None
        try:
            asyncio.run(_within(self.patience, body(self, tmp_path)))
        except Nonconforming as nonconforming:
            fault = str(nonconforming)
        if fault is not None:
            pytest.fail(fault, pytrace=False)

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(test, name, getattr(named, name))
    return test


async def _within(patience: float, body: Awaitable[None]) -> None:
    before = asyncio.all_tasks()
    try:
        async with asyncio.timeout(patience):
            await body
    except TimeoutError as late:
        message = (
            f"not finished after {patience:g} s: something waits without an end. Let what it "
            "awaits be cancelled, or raise `patience` in the suite where it is only slow"
        )
        raise Nonconforming(message) from late
    left = [task for task in asyncio.all_tasks() - before if not task.done()]
    if left:
        await asyncio.wait(left, timeout=patience / 4)
    running = [task.get_name() for task in left if not task.done()]
    expect(
        not running,
        f"tasks still run after it was closed: {running}. Keep each task that you start, and "
        "cancel and await it when you are closed",
    )


class Conformance:
    """The base of the suites. Give `plugin`, or override `subject`.

    `plugin` is what the entry point names; it is loaded as a host loads it, with `settings` (what
    would stand under `plugins.settings.<name>`), `claimed` (the values of the keys that it claims)
    and `environ`. `patience` is how many seconds one case may take.
    """

    plugin: ClassVar[Any] = None
    settings: ClassVar[Mapping[str, Any]] = {}
    claimed: ClassVar[Mapping[str, Any]] = {}
    environ: ClassVar[Mapping[str, str]] = {}
    name: ClassVar[str | None] = None
    patience: ClassVar[float] = 20.0

    async def subject(self, folder: Path) -> Any:
        """A fresh implementation, with nothing shared with another one but `folder`."""
        raise NotImplementedError

    async def ready(self, subject: Any, case: str) -> None:
        """Skip a case that cannot be tried here."""

    async def close(self, subject: Any) -> None:
        """Close a subject, once."""
        if not any(each is subject for each in self.closed):
            self.closed.append(subject)
            await subject.aclose()

    @scene
    async def test_a_host_takes_the_plugin(self, folder: Path) -> None:
        given = self.plugin
        if given is not None:  # else `subject` is overridden, and there is none to be taken
            violation = violation_of(given() if inspect.isclass(given) else given)
            expect(violation is None, f"the host refuses the plugin: {violation}")

    @property
    def closed(self) -> list[Any]:
        """What this case closed already, or had closed by a host."""
        closed: list[Any] = self.__dict__.setdefault("_closed", [])
        return closed

    def loaded(self, folder: Path) -> tuple[Any, PluginContext]:
        """The plugin, instantiated and configured, and its context."""
        given = self.plugin
        expect(
            given is not None,
            f"{type(self).__name__} does not say what to test: set `plugin = your_package.plugin`, "
            "or override `subject`",
        )
        instance = given() if inspect.isclass(given) else given
        hook = getattr(instance, "toolsearch_settings", None)
        spec = (hook() if hook else None) or SettingsSpec()
        context = PluginContext(
            name=UNDER_TEST,
            settings=spec.model.model_validate(dict(self.settings)) if spec.model else None,
            claimed={
                key: TypeAdapter(spec.claims[key]).validate_python(value)
                for key, value in self.claimed.items()
            },
            base_dir=folder,
            state_dir=folder,
            environ=dict(self.environ),
        )
        configure = getattr(instance, "toolsearch_configure", None)
        if configure is not None:
            configure(**filled(configure, plugin=context))
        return instance, context

    def yielded(self, hook: str, folder: Path) -> Any:
        """What the plugin yields from a registering hook: the only one, or the one of `name`."""
        instance, context = self.loaded(folder)
        violation = violation_of(instance)
        expect(violation is None, f"the host refuses the plugin: {violation}")
        implementation = getattr(instance, hook, None)
        expect(
            implementation is not None,
            f"the plugin implements no {hook}; add it, marked with @hookimpl",
        )
        given = filled(implementation, plugin=context) if implementation else {}
        found: Iterable[Any] = (implementation(**given) if implementation else None) or ()
        objects = [each for each in found if self.name in {None, each.name}]
        expect(
            len(objects) == 1,
            f"{hook} yields {[each.name for each in objects]}; set `name` in the suite to the one "
            "that is meant, and let the hook yield it",
        )
        _declared_rightly(objects[0], HOOKS[hook])
        return objects[0]


class HookConformance(Conformance):
    """The base of the suites whose subject is the plugin itself, for its hook `HOOK`."""

    HOOK = ""

    async def subject(self, folder: Path) -> Any:
        return self.loaded(folder)[0]

    async def close(self, subject: Any) -> None:
        shutdown = getattr(subject, "toolsearch_shutdown", None)
        if shutdown is not None and subject not in self.closed:
            self.closed.append(subject)
            await hook_answer(shutdown)

    @case
    async def test_it_implements_the_hook(self, plugin: Any) -> None:
        expect(
            hasattr(plugin, self.HOOK),
            f"the plugin implements no {self.HOOK}; add it, marked with @hookimpl",
        )


def _declared_rightly(subject: Any, protocol: type) -> None:
    """Fail the case where the subject lacks a member, or has one of the wrong kind."""
    fields = [*inspect.get_annotations(protocol), *(n for n in vars(protocol) if n[0] != "_")]
    missing = [name for name in fields if getattr(subject, name, None) is None]
    expect(not missing, f"it lacks {', '.join(missing)}; see {protocol.__name__} in the contract")
    for name, declared in vars(protocol).items():
        wanted = inspect.iscoroutinefunction(declared)
        if inspect.isfunction(declared) and name[0] != "_":
            right = inspect.iscoroutinefunction(getattr(subject, name)) is wanted
            word = "async def" if wanted else "def"
            expect(right, f"`{name}` is not declared as the contract says; write `{word} {name}`")


async def outcome_of(step: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    """What foreign code gave, or raised."""
    from toolsearch.isolation import contained

    async def run() -> Any:
        return await step

    outcome = await contained(run)
    return outcome.value, outcome.failure


async def cancelled(step: Coroutine[Any, Any, Any], *, turns: int = 3) -> asyncio.Task[Any]:
    """Start it, let it get going, cancel it, and wait until it ended."""
    task = asyncio.ensure_future(step)
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
    return task


def filled(implementation: Callable[..., Any], **given: Any) -> dict[str, Any]:
    """The arguments that an implementation names, of those that the hook has."""
    named = inspect.signature(implementation).parameters
    return {name: value for name, value in given.items() if name in named}


async def hook_answer(implementation: Callable[..., Any], **given: Any) -> Any:
    """Call a deciding hook as the host does: awaited, or on a worker thread."""
    arguments = filled(implementation, **given)
    if inspect.iscoroutinefunction(implementation):
        return await implementation(**arguments)
    return await asyncio.to_thread(partial(implementation, **arguments))


def all_survived(failures: Mapping[str, BaseException | None], cure: str) -> None:
    """Fail the case with every text that raised, so that one run tells them all."""
    __tracebackhide__ = True
    raised = [f"{text[:40]!r} raised {told(f)}" for text, f in failures.items() if f is not None]
    expect(not raised, f"{len(raised)} of {len(failures)} texts: {'; '.join(raised)}. {cure}")


def told(failure: BaseException | None) -> str:
    return "nothing" if failure is None else f"{type(failure).__name__}: {failure}"
