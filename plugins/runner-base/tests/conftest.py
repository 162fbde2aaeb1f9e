from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from toolsearch_hookspecs import CallError, CallFailure, CodeLimits, ErrorCode
from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.runner import ChildRunner
from toolsearch_runner_base.runtime import Identity, Runtime
from toolsearch_runner_deno._deno import Deno
from toolsearch_runner_deno._runner import DenoRunner
from toolsearch_runner_deno._settings import RunnerSettings as DenoSettings
from toolsearch_runner_node._node import Node
from toolsearch_runner_node._runner import NodeRunner
from toolsearch_runner_node._settings import RunnerSettings as NodeSettings

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Tested:
    """A runtime of this machine, and the runner that uses it."""

    name: str
    path: str
    kind: type[Runtime]
    runner: Any
    settings: Any

    def make(self, program: str | None = None, **settings: Any) -> ChildRunner:
        """A runner over it, or over another program as it; by itself it keeps no child waiting."""
        given = {"pool": 0, self.kind.name: program or self.path} | settings
        return self.runner(self.settings(**given), memory_mb=128)


def _tested() -> list[Tested]:
    node = (Node, NodeRunner, NodeSettings)
    found = [
        ("node-path", shutil.which("node"), *node),
        ("node-wheel", Node.packaged(), *node),
        ("deno", shutil.which("deno") or Deno.packaged(), Deno, DenoRunner, DenoSettings),
    ]
    return [Tested(*each) for each in found if each[1] is not None]


RUNTIMES = _tested()
# One of each kind, for what does not depend on the version.
ENGINES = list({tested.kind: tested for tested in reversed(RUNTIMES)}.values())


@dataclass(frozen=True)
class Body:
    """One body of the corpus: its name, what is expected of it, and its code."""

    name: str
    expected: str
    code: str


def bodies(kind: str) -> list[Body]:
    text = (CORPUS / f"{kind}.js").read_bytes().decode()
    found = []
    for part in re.split(r"^//@ ", text, flags=re.MULTILINE)[1:]:
        head, _, code = part.partition("\n")
        name, _, expected = head.partition(" | ")
        found.append(Body(name.strip(), expected.strip(), code.rstrip("\n")))
    return found


def reach(tested: Tested) -> list[Body]:
    """The probes of the outside that a runtime has a road for: all have those of Node."""
    return [body for body in bodies("reach") if body.expected in {"", tested.kind.name}]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for kind in ("escape", "resource", "harmless"):
        if kind in metafunc.fixturenames:
            found = bodies(kind if kind == "harmless" else f"{kind}s")
            metafunc.parametrize(kind, found, ids=[body.name for body in found])
    if "reach" in metafunc.fixturenames:
        pairs = [(tested, body) for tested in RUNTIMES for body in reach(tested)]
        ids = [f"{body.name}-{tested.name}" for tested, body in pairs]
        metafunc.parametrize(("runtime", "reach"), pairs, ids=ids, scope="session")
    elif "runtime" in metafunc.fixturenames:
        ids = [tested.name for tested in RUNTIMES]
        metafunc.parametrize("runtime", RUNTIMES, ids=ids, scope="session")
    if "engine" in metafunc.fixturenames:
        ids = [tested.kind.name for tested in ENGINES]
        metafunc.parametrize("engine", ENGINES, ids=ids, scope="session")


# Ways to the host's realm that work where host functions or promises are handed in.
BREAKOUT = """
const $process = await (async () => {
  try { if (typeof process === 'object') return process; } catch {}
  for (const make of [
    () => openclaw.tools.search.constructor, () => console.log.constructor,
    () => openclaw.constructor.constructor, () => this.constructor.constructor,
    () => openclaw.tools.search('x').constructor.constructor,
  ]) { try { const found = make()('return process')(); if (found) return found; } catch {} }
  throw new Error('no way out');
})();
const $require = $process.mainModule?.require?.bind($process.mainModule)
  ?? ((name) => $process.getBuiltinModule(name));
"""


@pytest.fixture
def escaping():
    """Makes an escape into a body that gives what it found of another realm."""
    prelude = (CORPUS / "_prelude.js").read_text()
    return lambda code: f"{prelude}\n{code}\nreturn {{ found: $found }};"


@pytest.fixture
def reaching(world):
    """Makes a probe into a body that first looks for the host's realm."""
    setup = json.dumps(world.setup())
    return lambda code: (
        f"{BREAKOUT}\nreturn await (async (process, require, setup) => {{ {code}\n}})"
        f"($process, $require, {setup});"
    )


def limits(**changes: int) -> CodeLimits:
    given = {
        "timeout_ms": 20_000,
        "max_wait_ms": 60_000,
        "max_script_bytes": 262_144,
        "max_bridge_calls": 200,
        "max_parallel_calls": 8,
        "max_value_bytes": 262_144,
        "max_body_value_bytes": 5_242_880,
        "max_log_bytes": 65_536,
        "memory_mb": 128,
    }
    return CodeLimits(**(given | changes))


@pytest.fixture
def limits_of():
    return limits


@dataclass
class ToolBox:
    """A bridge to a few tools, which remembers what was called and what was cancelled."""

    calls: list[tuple[str, Any]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    most_at_once: int = 0
    waiting: Any = None
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    _open: int = 0

    def on_waiting(self, changed: Any) -> None:
        self.waiting = changed

    async def search(self, query: Any, options: Any = None) -> Any:
        self.calls.append(("search", query))
        return [{"id": "x", "options": options}]

    async def describe(self, id: Any) -> Any:
        self.calls.append(("describe", id))
        return {"id": id}

    async def call(self, id: Any, arguments: Any = None) -> Any:
        self.calls.append((id, arguments))
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        self.started.set()
        try:
            return {"tool": {"id": id}, "result": await self._result(id, arguments)}
        except asyncio.CancelledError:
            self.cancelled.append(id)
            raise
        finally:
            self._open -= 1

    async def _result(self, id: Any, arguments: Any) -> Any:
        match id:
            case "fail":
                raise CallError(
                    CallFailure(
                        code=ErrorCode.TOOL_ERROR, message="it failed", tool=id, retryable=True
                    )
                )
            case "blocked":
                raise CallError(
                    CallFailure(
                        code=ErrorCode.BLOCKED, message="not allowed", tool=id, by="policy-rules"
                    )
                )
            case "bug":
                raise RuntimeError("a secret of the host")
            case "hang":
                await asyncio.Event().wait()
            case "gate":
                await self.gate.wait()
                return "through"
            case "count":
                await asyncio.sleep(0)
                return len(arguments["text"])
            case "long":
                return "x" * arguments["size"]
            case "big":
                return {"id": 1234567890123456789, "list": [-9007199254740993], "small": 2**53 - 1}
            case "raw":
                return object()
            case _:
                return arguments
        return None


@pytest.fixture
def toolbox():
    return ToolBox


@dataclass
class World:
    """What a body must not reach: files, sockets and signals of the machine it runs on."""

    directory: Path
    secret: str
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    signals: list[int] = field(default_factory=list)

    @property
    def canary(self) -> Path:
        return self.directory / "canary.txt"

    def setup(self) -> dict[str, Any]:
        return {
            "canary": str(self.canary),
            "directory": str(self.directory),
            "port": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": str(self.directory / "socket"),
            "pid": os.getpid(),
        }

    def restore(self) -> None:
        for path in self.directory.iterdir():
            if path.name not in {"canary.txt", "socket"}:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        (self.directory / "removable").write_text("x")
        (self.directory / "removable").chmod(0o666)
        self.canary.write_text(self.secret)
        self.canary.chmod(0o644)
        self.signals.clear()
        self.knocks()

    def knocks(self) -> int:
        """How often one of the sockets was reached since it was last asked."""
        count = 0
        for listener in (self.tcp, self.unix):
            try:
                while True:
                    listener.accept()[0].close()
                    count += 1
            except BlockingIOError:
                pass
        try:
            while self.udp.recv(100):
                count += 1
        except BlockingIOError:
            pass
        return count

    def untouched(self) -> bool:
        there = sorted(path.name for path in self.directory.iterdir())
        return (
            there == ["canary.txt", "removable", "socket"]
            and self.canary.read_text() == self.secret
            and not self.signals
            and self.knocks() == 0
        )


def make_world() -> Iterator[World]:
    directory = Path(tempfile.mkdtemp(prefix="reach-"))
    directory.chmod(0o777)
    tcp, udp, unix = (
        socket.socket(),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        socket.socket(socket.AF_UNIX),
    )
    tcp.bind(("127.0.0.1", 0))
    udp.bind(("127.0.0.1", 0))
    unix.bind(str(directory / "socket"))
    (directory / "socket").chmod(0o777)
    for listener in (tcp, unix):
        listener.listen(16)
    for each in (tcp, udp, unix):
        each.setblocking(False)
    made = World(directory, secrets.token_hex(16), tcp, udp, unix)
    before = signal.signal(signal.SIGUSR1, lambda number, _: made.signals.append(number))
    made.restore()
    yield made
    signal.signal(signal.SIGUSR1, before)
    for each in (tcp, udp, unix):
        each.close()
    shutil.rmtree(directory)


world = pytest.fixture(make_world, scope="session", name="world")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def runner(runtime):
    """One runner for all bodies of a runtime."""
    made = runtime.make(pool=2)
    attestation = await made.probe()
    assert attestation.isolated, attestation
    yield made
    await made.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(engine):
    """Runners of a test's own, closed after it."""
    made: list[ChildRunner] = []

    def make(program: str | None = None, **settings: Any) -> ChildRunner:
        made.append(engine.make(program, **settings))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


@dataclass(frozen=True)
class Corpus:
    folder: Path = CORPUS

    def bodies(self, kind: str) -> list[Body]:
        return bodies(kind)

    def reach(self, tested: Tested) -> list[Body]:
        return reach(tested)

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def corpus():
    return Corpus()


@pytest.fixture
def naive(corpus, engine):
    """Runs a body in a runtime that hands out its own functions, and may do everything."""
    may = ("run", "--allow-all", "--quiet", "--no-config") if engine.kind is Deno else ()

    async def run(code: str) -> str:
        process = await asyncio.create_subprocess_exec(
            engine.path,
            *may,
            str(corpus.folder / "_naive.js"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(30):
                said, _ = await process.communicate(code.encode())
        except TimeoutError:
            process.kill()
            await process.wait()
            return ""
        return said.decode(errors="replace")

    return run


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def started_with():
    """A spawner, and what a runtime is, for children that a test starts by itself."""
    spawner = SupervisedSpawner()
    known: dict[str, Runtime] = {}

    async def find(tested: Tested) -> tuple[SupervisedSpawner, Runtime]:
        if tested.path not in known:
            known[tested.path] = await tested.kind.describe(Identity.of(tested.path), spawner)
        return spawner, known[tested.path]

    yield find
    await spawner.aclose()
