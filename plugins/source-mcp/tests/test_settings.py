from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from toolsearch_hookspecs import SourceUnavailable
from toolsearch_source_mcp import ServerSettings
from toolsearch_source_mcp._expand import Expansion
from toolsearch_source_mcp._failures import ServerError
from toolsearch_source_mcp._identity import origin, owner_name
from toolsearch_source_mcp._settings import AUTO_APPROVAL_KEYS

ROGUE = Path(__file__).with_name("rogue.py")
ECHO_ENVIRONMENT = "import os; print(dict(os.environ))"


def read(**server) -> ServerSettings:
    return ServerSettings.model_validate(server)


def expand(text: str, **environ: str) -> str:
    return Expansion(environ, Path("/base")).text(text)


def test_the_keys_that_people_have_are_read_and_disabled_is_honoured():
    server = read(
        type="stdio", command="npx", args=["-y", "x"], env={"A": "1"}, cwd="sub", disabled=True
    )
    assert (server.command, server.args, server.on) == ("npx", ("-y", "x"), False)
    assert read(url="https://x/mcp", headers={"A": "b"}).on


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [({"timeout": 60}, 60_000), ({"timeout": 30_000}, 30_000), ({"tool_timeout_sec": 1.5}, 1_500)],
)
def test_a_timeout_is_read_in_the_unit_in_which_it_was_written(written, milliseconds):
    assert read(command="x", **written).call_timeout_ms == milliseconds


@pytest.mark.parametrize(
    "server", [{}, {"command": "x", "url": "http://x"}, {"url": "http://x", "type": "sse"}]
)
def test_a_server_that_cannot_be_reached_in_one_way_is_refused(server):
    with pytest.raises(ValidationError):
        ServerSettings.model_validate(server)


async def test_auto_approval_of_other_clients_is_never_honoured_and_said_to_be_so(servers):
    (source,) = await servers.open({"a": {"command": "x", "autoApprove": ["*"], "trust": True}})
    assert source.trusted is False
    for key in AUTO_APPROVAL_KEYS:
        assert "never honoured" in ServerSettings.FOREIGN[key]


@pytest.mark.parametrize(
    ("key", "meant"), [("comand", "command"), ("commnd", "command"), ("ur", "url")]
)
def test_a_misspelt_command_or_address_is_named_with_what_was_meant(key, meant):
    with pytest.raises(ValidationError, match=f"`{key}` is neither: did you mean `{meant}`"):
        read(**{key: "x"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${TOKEN}", "t"),
        ("Bearer ${env:TOKEN}!", "Bearer t!"),
        ("${NOPE:-a:b}", "a:b"),
        ("${EMPTY:-d}", "d"),
        ("$TOKEN", "$TOKEN"),
        ("${workspaceFolder}/x", "/base/x"),
        ("no reference", "no reference"),
    ],
)
def test_references_are_filled_in_from_the_environment(text, value):
    assert expand(text, TOKEN="t", EMPTY="") == value


@pytest.mark.parametrize("text", ["${NOPE}", "${env:NOPE}"])
def test_an_unset_variable_is_named(text):
    with pytest.raises(ServerError, match="NOPE is not set"):
        expand(text)


def test_a_reference_that_would_ask_a_person_is_refused():
    with pytest.raises(ServerError, match="cannot be answered here"):
        expand("${input:token}")


async def test_an_unset_variable_stops_that_server_only_and_says_so(servers):
    broken = await servers.rogue(name="broken", server={"env": {"T": "${NO_SUCH_TOKEN}"}})
    whole = await servers.rogue(name="whole")
    with pytest.raises(SourceUnavailable, match="NO_SUCH_TOKEN is not set"):
        await servers.listing(broken)
    assert "echo" in await servers.names(whole)


async def test_a_server_gets_a_short_environment_and_what_its_settings_say(servers):
    (source,) = await servers.open(
        {
            "env": {
                "command": sys.executable,
                "args": ["-c", ECHO_ENVIRONMENT],
                "env": {"TOKEN": "${SECRET}"},
            }
        },
        environ={"SECRET": "s3cret", "OTHER": "hidden", "HOME": "/home/x"},
    )
    from toolsearch_source_mcp._connect import stdio_command

    command = stdio_command(
        source._settings, Expansion(source._around.environ, Path("/b")), source._around
    )
    assert command.environ["TOKEN"] == "s3cret"
    assert command.environ["HOME"] == "/home/x"
    assert "OTHER" not in command.environ
    assert "SECRET" not in command.environ


async def test_arguments_never_meet_a_shell(servers):
    source = await servers.rogue("--secret", "; touch /tmp/pwned $(id)")
    assert "echo" in await servers.names(source)


def test_an_alias_becomes_an_owner_in_the_alphabet_of_owners():
    assert owner_name("My Server!") == "my-server"
    assert owner_name("github") == "github"


async def test_of_two_aliases_that_become_one_owner_the_second_is_refused_and_all_others_stay(
    servers,
):
    rogue = {"command": sys.executable, "args": [str(ROGUE)]}
    named = ("A b", "a-B", "a b", "a-b-2", "last")
    opened = await servers.open(dict.fromkeys(named, rogue))
    first, second, third, numbered, last = opened
    assert [each.name for each in opened] == ["a-b", "a-b-3", "a-b-4", "a-b-2", "last"]
    for whole in (first, numbered, last):
        assert "echo" in await servers.names(whole)
    for refused, alias in ((second, "a-B"), (third, "a b")):
        with pytest.raises(SourceUnavailable, match="another server has its name") as raised:
            await servers.listing(refused)
        (why,) = raised.value.__notes__
        assert f"{alias!r} (mcpServers) and 'A b' both become 'a-b'" in why
        with pytest.raises(SourceUnavailable):
            await servers.call(refused, "echo")


async def test_a_disabled_server_takes_no_name_from_another(servers):
    other = {"command": "x", "disabled": True}
    (source,) = await servers.open({"A b": other, "a-b": {"command": "y"}})
    assert source.name == "a-b"


def test_the_origin_names_what_executes_and_holds_no_secret():
    plain = origin(read(command="/usr/bin/npx", args=["-y", "x", "--token", "hunter2"]))
    assert plain.startswith("stdio:npx#")
    assert "hunter2" not in plain
    assert plain != origin(read(command="/usr/bin/npx", args=["-y", "y"]))
    assert origin(read(url="https://me:pw@host:1/mcp")) == "https://host:1/mcp"
    assert "key" not in origin(read(url="https://host/mcp?key=k"))


def test_a_rotated_token_is_the_same_server():
    args = ["--token", "${TOKEN}"]
    assert origin(read(command="x", args=args)) == origin(read(command="x", args=args))


async def test_tools_may_be_narrowed_by_name(servers):
    source = await servers.rogue(server={"includeTools": ["e*", "crash"], "disabledTools": ["cr*"]})
    assert await servers.names(source) == {"echo"}


async def test_a_timeout_of_the_settings_goes_with_each_tool(servers):
    source = await servers.rogue(server={"timeout": 5})
    listing = await servers.listing(source)
    assert {tool.timeout_ms for tool in listing.tools} == {5_000}


def test_loading_the_plugin_and_making_its_sources_imports_no_sdk():
    code = (
        "import sys, toolsearch_source_mcp, toolsearch_source_mcp._source\n"
        "heavy = {'mcp', 'mcp_types', 'anyio', 'httpx2', 'starlette'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
