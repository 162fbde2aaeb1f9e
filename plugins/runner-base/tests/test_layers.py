"""What each layer holds alone, when the body was given the main realm on purpose."""

from __future__ import annotations

import errno
import json
import struct

import pytest

from toolsearch_runner_base._probe import answer
from toolsearch_runner_base.process import LAYERS, Channel, StartError
from toolsearch_runner_base.supervisor import _seccomp
from toolsearch_runner_base.supervisor import _syscalls as calls

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What the system alone leaves open: computing within the process and telling of it, and what no
# layer of it covers (the name of the machine, and that a file is there, without what is in it).
ONLY_INSIDE = {
    "starts a worker",
    "uses WASI",
    "attaches an inspector session to itself",
    "makes code from text",
    "compiles code through the module",
    "writes a trace",
    "loads a library",
    "looks at a file",
    "looks at a file as Deno",
    "asks for the name of the machine",
}


@pytest.fixture
def breached(corpus, world, started_with):
    """Runs a probe in the main realm of a child, under the layers that are named."""

    async def run(tested, code: str, layers: tuple[str, ...], *, restricted: bool) -> dict:
        spawner, found = await started_with(tested)
        try:
            command = found.command(corpus.text("_breach.js"), layers=layers, restricted=restricted)
            given = {"code": code, "setup": world.setup()}
            line = await answer(spawner, command, Channel(1 << 20, 1 << 20), given)
            return json.loads(line) if line.startswith(b"{") else {"reached": line}
        except StartError as ended:
            return {"refused": str(ended)}

    world.restore()
    yield run
    world.restore()


async def test_with_both_layers_no_probe_reaches_anything(runtime, reach, breached, world):
    answer = await breached(runtime, reach.code, LAYERS, restricted=True)
    assert "refused" in answer, answer


async def test_the_system_alone_holds_all_that_leaves_the_process(runtime, reach, breached, world):
    answer = await breached(runtime, reach.code, LAYERS, restricted=False)
    if reach.name not in ONLY_INSIDE:
        assert "refused" in answer, answer
    assert world.untouched()


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("landlock", "reads a file"),
        ("landlock", "lists a directory"),
        ("landlock", "writes a file"),
        ("landlock", "reads the parent's environment"),
        ("landlock", "connects over TCP"),
        ("seccomp", "connects over TCP"),
        ("seccomp", "sends over UDP"),
        ("seccomp", "connects to a unix socket"),
        ("seccomp", "listens"),
        ("seccomp", "starts a process"),
        ("seccomp", "signals the parent"),
        ("seccomp", "ends the embedding program"),
        ("seccomp", "changes the priority of others"),
        ("rlimits", "writes a file"),
    ],
)
async def test_a_layer_of_the_system_holds_alone(corpus, engine, breached, layer, name):
    code = next(body.code for body in corpus.bodies("reach") if body.name == name)
    assert "refused" in await breached(engine, code, (layer,), restricted=False)


async def test_without_layers_the_probes_reach_what_they_are_made_for(corpus, engine, breached):
    reached = [
        body.name
        for body in corpus.reach(engine)
        if "reached" in await breached(engine, body.code, (), restricted=False)
    ]
    assert len(reached) >= 30, reached


def verdict(
    machine: str, number: int, *arguments: int, pid: int = 1234, needed: tuple[str, ...] = ()
) -> int:
    """Run the filter as the kernel does, over one system call."""
    audit = calls.MACHINES[machine].audit
    given = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number, audit, 0, *given)
    program = _seccomp.instructions(machine, pid, needed)
    accumulator = at = 0
    while True:
        code, on_true, on_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += on_true if accumulator == operand else on_false
            case 0x35:
                at += on_true if accumulator >= operand else on_false
            case 0x06:
                return operand


ALLOW = 0x7FFF0000
REFUSE = 0x50000 | errno.EPERM
UNKNOWN = 0x50000 | errno.ENOSYS
MACHINES = ("x86_64", "aarch64")
FORBIDDEN = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "sendmsg": (46, 211),
    "execve": (59, 221),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "seccomp": (317, 277),
    "setpriority": (141, 140),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "perf_event_open": (298, 241),
    "setrlimit": (160, 164),
    "setresuid": (117, 147),
    "setsid": (112, 157),
    "chdir": (80, 49),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", FORBIDDEN)
async def test_the_filter_refuses_what_reaches_outside(machine, name):
    assert verdict(machine, FORBIDDEN[name][calls.MACHINES[machine].column]) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_allows_what_node_computes_with(machine):
    for name, numbers in calls.ALLOWED.items():
        number = numbers[calls.MACHINES[machine].column]
        if number is not None:
            assert verdict(machine, number) == ALLOW, name


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_a_runtime_that_asks_for_it_make_a_pair_of_sockets(machine):
    pair = calls.OFFERED["socketpair"][calls.MACHINES[machine].column]
    assert verdict(machine, pair, 1) == REFUSE
    assert verdict(machine, pair, 1, needed=("socketpair",)) == ALLOW
    for family in (2, 10, 16, 17, 1 << 32):  # IP, netlink, packets
        assert verdict(machine, pair, family, needed=("socketpair",)) == REFUSE, family
    assert (
        verdict(
            machine, FORBIDDEN["connect"][calls.MACHINES[machine].column], needed=("socketpair",)
        )
        == REFUSE
    )


async def test_a_call_that_is_not_offered_cannot_be_asked_for():
    with pytest.raises(KeyError, match="ptrace"):
        _seccomp.instructions("x86_64", 1, ("ptrace",))


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_memory_be_private_only(machine):
    mmap = calls.MMAP[calls.MACHINES[machine].column]
    assert verdict(machine, mmap, 0, 4096, 3, 0x22) == ALLOW
    assert verdict(machine, mmap, 0, 4096, 5, 0x02) == ALLOW  # a library
    for flags in (0x01, 0x21, 0x03, 0x40021, 0x01 | 1 << 32):
        assert verdict(machine, mmap, 0, 4096, 3, flags) == REFUSE, flags


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_threads_start_and_no_processes(machine):
    clone = calls.CLONE[calls.MACHINES[machine].column]
    threads = 0x3D0F00
    assert verdict(machine, clone, threads) == ALLOW
    assert verdict(machine, clone, 17) == REFUSE
    assert verdict(machine, clone, threads | 0x10000000) == REFUSE
    assert verdict(machine, calls.CLONE3[calls.MACHINES[machine].column]) == UNKNOWN


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_a_process_signal_itself_only(machine):
    tgkill = calls.TGKILL[calls.MACHINES[machine].column]
    kill = calls.KILL[calls.MACHINES[machine].column]
    assert verdict(machine, tgkill, 1234, 1234, 6) == ALLOW
    assert verdict(machine, kill, 1234, 9) == ALLOW
    assert verdict(machine, kill, 0, 9) == REFUSE
    assert verdict(machine, kill, 1, 9) == REFUSE
    assert verdict(machine, kill, 0xFFFFFFFF, 9) == REFUSE
    assert verdict(machine, kill, -1234 & 0xFFFFFFFF, 9) == REFUSE
    assert verdict(machine, tgkill, 1, 1, 9) == REFUSE
    assert verdict(machine, tgkill, 0xFFFFFFFF, 1, 9) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_one_program_start_by_its_descriptor(machine):
    execveat = calls.EXECVEAT[calls.MACHINES[machine].column]
    assert verdict(machine, execveat, _seccomp.EXEC_FD, 0, 0, 0, 0x1000) == ALLOW
    assert verdict(machine, execveat, 3, 0, 0, 0, 0x1000) == REFUSE
    assert verdict(machine, execveat, _seccomp.EXEC_FD, 0, 0, 0, 0) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_lets_limits_be_read_and_not_set(machine):
    prlimit = calls.PRLIMIT64[calls.MACHINES[machine].column]
    assert verdict(machine, prlimit, 0, 7, 0, 0xDEAD) == ALLOW
    assert verdict(machine, prlimit, 0, 7, 1, 0) == REFUSE
    assert verdict(machine, prlimit, 0, 7, 1 << 32, 0) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_narrows_the_calls_of_many_meanings(machine):
    column = calls.MACHINES[machine].column
    assert verdict(machine, calls.PRCTL[column], 15) == ALLOW
    assert verdict(machine, calls.PRCTL[column], 1) == REFUSE  # the parent-death signal
    assert verdict(machine, calls.FCNTL[column], 0, 3) == ALLOW
    assert verdict(machine, calls.FCNTL[column], 0, 8) == REFUSE  # an owner to be signalled
    assert verdict(machine, calls.IOCTL[column], 0, 0x5421) == ALLOW
    assert verdict(machine, calls.IOCTL[column], 0, 0x5412) == REFUSE  # typing into a terminal


async def test_the_filter_ends_a_process_of_another_architecture():
    program = _seccomp.instructions("x86_64", 1)
    other = struct.pack("=II", 0, calls.MACHINES["aarch64"].audit)
    (arch,) = struct.unpack_from("=I", other, program[0][3])
    assert program[1][3] != arch
    assert program[2] == (0x06, 0, 0, 0x80000000)


async def test_the_filter_ends_a_process_that_uses_the_numbers_of_x32():
    assert verdict("x86_64", 0x40000000) == 0x80000000


@pytest.mark.parametrize("machine", MACHINES)
async def test_the_filter_says_of_newer_calls_that_they_are_unknown(machine):
    assert verdict(machine, calls.NEWER) == UNKNOWN
