"""Why a server is not there, for the person who runs it; the model is told the bare reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from toolsearch.host import Host
from toolsearch_hookspecs import SourceUnavailable
from toolsearch_source_mcp._clues import Clues, exited, telling_line
from toolsearch_source_mcp._identity import address
from toolsearch_source_mcp._messages import NoMessageError, messages_of
from toolsearch_source_mcp._settings import ServerSettings

ROGUE = Path(__file__).with_name("rogue.py")

NPM = """\
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@x%2fnope - Not found
npm error 404
npm error 404  '@x/nope@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/x/.npm/_logs/1-debug-0.log
"""
NODE = """\
/srv/index.js:3
        throw new Error("API_URL is required")
        ^

Error: API_URL is required
    at Object.<anonymous> (/srv/index.js:3:7)
    at node:internal/main/run_main_module:28:49

Node.js v22.1.0
"""
PYTHON = """\
Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    import nope
ModuleNotFoundError: No module named 'nope'
"""


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        (NPM, "npm error 404  '@x/nope@*' is not in this registry."),
        (NODE, "Error: API_URL is required"),
        (PYTHON, "ModuleNotFoundError: No module named 'nope'"),
        ("starting\nlistening on 3000\n\n", "listening on 3000"),
        ("\n  }\n", ""),
        ("", ""),
    ],
)
def test_the_line_that_tells_most_is_found_among_what_runtimes_write_around_it(stderr, line):
    assert telling_line(stderr) == line


@pytest.mark.parametrize(
    ("code", "said"), [(4, "exit code 4"), (0, "exit code 0"), (-11, "ended by SIGSEGV")]
)
def test_the_end_of_a_process_is_said_in_words(code, said):
    assert exited(code) == said


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@host:1/mcp?key=k#f", "https://host:1"),
        ("http://host", "http://host"),
        ("http://[::1]:80/mcp", "http://[::1]:80"),
        ("${URL}?key=k", "${URL}"),
        ("https://${HOST}/mcp", "https://${HOST}"),
        ("https://host/s/secret/mcp", "https://host"),
        ("https://host/@scope/mcp", "https://host"),
        ("https://me:pw/x@host/s/secret", "https://host"),
        ("https://me:p@ss/w@host/x", "https://host"),
        ("https://me:p?ss#w@host/x", "https://host"),
    ],
)
def test_of_an_address_the_host_is_shown_and_nothing_that_may_be_secret(url, shown):
    assert address(url) == shown


def test_a_secret_is_hidden_before_anything_is_chosen_or_cut():
    long, several = "Q7xk9Zp4mN2k" * 20, "aaaa-bbbb-first\ncccc-dddd-second"
    clues = Clues(ServerSettings(command="npx"), {}, 16_384, {long, several})
    with pytest.raises(NoMessageError) as noise:
        list(messages_of(f"listening, the token is {long}".encode(), 1_000_000))
    clues.said.heard_noise(str(noise.value))
    clues.said.stderr.add(f"{'x' * 1_990}{long}\nerror: {several}\n".encode())
    told = f"{clues.so_far()} {clues.last_words()}"
    assert "the token is ***" in told
    for part in (long[:12], "aaaa-bbbb", "cccc-dddd"):
        assert part not in told


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionResetError(104, "reset")])
def test_what_is_slow_or_broke_is_not_said_to_be_missing_on_the_path(error):
    assert "PATH" not in Clues(ServerSettings(command="npx"), {}, 1_024).of(error)


async def clue_of(servers, source) -> str:
    with pytest.raises(SourceUnavailable) as raised:
        await servers.listing(source)
    (clue,) = raised.value.__notes__
    return clue


async def test_a_server_that_dies_at_start_leaves_its_exit_code_and_its_last_words(servers):
    source = await servers.rogue(
        "--exit", "--secret", "${TOKEN} password=abcdefgh", environ={"TOKEN": "hunter2-hunter2"}
    )
    clue = await clue_of(servers, source)
    assert clue == "exit code 4; its last words: cannot start: *** password=[redacted]"


async def test_a_server_that_stops_later_leaves_them_too(servers):
    down = servers.folder / "down"
    source = await servers.rogue("--unless", down)
    await servers.listing(source)
    down.touch()
    with pytest.raises(Exception, match="stopped while it ran crash"):
        await servers.call(source, "crash")
    assert "exit code 4" in await clue_of(servers, source)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/no/such/command", "/no/such/command: No such file"),
        ("no-such-command", "no-such-command on the PATH: No such file"),
        (str(ROGUE.parent), "Permission denied"),
    ],
)
async def test_a_command_that_cannot_be_started_is_named(servers, command, said):
    (source,) = await servers.open({"ghost": {"command": command}})
    assert said in await clue_of(servers, source)


async def test_a_folder_that_is_not_there_is_named(servers):
    source = await servers.rogue(server={"cwd": "/no/such/folder"})
    assert "/no/such/folder: No such file" in await clue_of(servers, source)


async def test_a_server_that_logs_to_its_standard_output_is_told_so(servers):
    source = await servers.rogue("--banner", "--version", "1999-01-01")
    clue = await clue_of(servers, source)
    assert "it wrote 2 lines to its standard output that no message of the protocol is" in clue
    assert "Welcome to Rogue 1.0" in clue


async def test_an_address_where_nothing_answers_is_named_without_its_secrets(servers):
    url = "http://me:hunter2@127.0.0.1:9/mcp?key=hunter2"
    (source,) = await servers.open({"away": {"url": url}})
    clue = await clue_of(servers, source)
    assert "its url is http://127.0.0.1:9;" in f"{clue};"
    assert "hunter2" not in clue


async def test_a_person_reads_the_clue_in_the_diagnostics_and_no_model_does(tmp_path):
    config = {
        "tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 60_000}},
        "mcpServers": {
            "dead": {"command": sys.executable, "args": [str(ROGUE), "--exit", "--secret", "oops"]},
        },
    }
    async with Host.from_config(config, state_dir=tmp_path) as host, await host.plan() as run:
        (told,) = [each for each in run.diagnostics if each.code == "source_unavailable"]
        assert told.message == (
            "server dead is unavailable: it stopped before it answered; exit code 4; its last "
            "words: cannot start: oops"
        )
        answer = await run.handle("tool_call", {"id": "mcp:dead:echo"})
        assert "server dead is unavailable: it stopped before it answered" in answer.text
        assert "oops" not in answer.text
