from __future__ import annotations

import asyncio
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from toolsearch_hookspecs import ConfigError, PluginContext, SourceUnavailable
from toolsearch_source_mcp import ServerSettings
from toolsearch_source_mcp._auth import auth_commands
from toolsearch_source_mcp._vault import FileVault, Grant, KeyringVault

SERVER = Path(__file__).with_name("oauth_server.py")


class Shown:
    json = False

    def __init__(self):
        self.text = ""

    def host(self):
        raise AssertionError("authorizing starts no host")

    def show(self, data, *, text=None):
        self.text = text


@pytest.fixture
def guarded(tmp_path):
    """Start a server whose access tokens hold for some seconds; gives its address."""
    started = []

    def start(seconds: int) -> str:
        argv = [sys.executable, str(SERVER), str(tmp_path / "notes"), str(seconds)]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def auth(servers):
    """Run an `auth` command over one server; gives what was shown."""

    async def run(command: str, server: str, url: str | None, open_url=None, **settings) -> str:
        reached = {"url": url} if url is not None else {"command": "x"}
        configured = {"web": ServerSettings.model_validate(reached | settings)}
        context = PluginContext(
            name="source-mcp",
            base_dir=servers.folder,
            state_dir=servers.folder / "state",
        )
        commands = {one.name: one for one in auth_commands(context, configured, open_url)}
        shown = Shown()
        await commands[f"auth {command}"].run(shown, {"server": server})
        return shown.text

    return run


def yes(url: str) -> None:
    """A person who opens the address and says yes."""
    with urllib.request.urlopen(url) as answer:
        assert b"finished" in answer.read()


def log(servers) -> list[str]:
    return (servers.folder / "notes").read_text().splitlines()


async def test_a_server_is_authorized_in_a_browser_once_and_then_used(servers, guarded, auth):
    url = guarded(3_600)
    (source,) = await servers.open({"web": {"url": url}})
    with pytest.raises(SourceUnavailable, match="toolsearch auth login"):
        await servers.listing(source)
    assert await auth("status", "web", url) == "web: not authorized"
    assert await auth("login", "web", url, yes) == "web: authorized"
    assert await auth("status", "web", url) == "web: authorized"
    assert (await servers.call(source, "secret")).value == {"result": "the secret"}
    kept = servers.folder / "state" / "mcp-tokens.json"
    assert kept.stat().st_mode & 0o077 == 0
    assert log(servers) == ["registered", "granted"]


async def test_a_token_that_expired_is_renewed_without_a_person(servers, guarded, auth, caplog):
    url = guarded(1)
    caplog.set_level(0)
    assert await auth("login", "web", url, yes) == "web: authorized"
    await asyncio.sleep(1.1)
    assert "expired" in await auth("status", "web", url)
    (source,) = await servers.open({"web": {"url": url}})
    assert (await servers.call(source, "secret")).value == {"result": "the secret"}
    assert log(servers)[:3] == ["registered", "granted", "renewed"]
    assert "access-" not in caplog.text
    assert "refresh-" not in caplog.text


async def test_logging_out_forgets_what_was_granted(servers, guarded, auth):
    url = guarded(3_600)
    await auth("login", "web", url, yes)
    assert await auth("logout", "web", url) == "web: forgotten"
    assert await auth("status", "web", url) == "web: not authorized"
    (source,) = await servers.open({"web": {"url": url}})
    with pytest.raises(SourceUnavailable, match="wants authorization"):
        await servers.listing(source)


async def test_a_server_with_credentials_in_its_settings_needs_no_browser(auth):
    bearer = {"headers": {"Authorization": "Bearer x"}}
    assert "from the settings" in await auth("status", "web", "http://x", **bearer)
    with pytest.raises(ConfigError, match="take them out first"):
        await auth("login", "web", "http://x", yes, **bearer)


async def test_what_cannot_be_authorized_is_said(auth):
    with pytest.raises(ConfigError, match="did you mean 'web'"):
        await auth("login", "wep", "http://x")
    with pytest.raises(ConfigError, match="over stdio"):
        await auth("login", "web", None)
    with pytest.raises(ConfigError, match="cannot be reached"):
        await auth("login", "web", "http://127.0.0.1:9/mcp", yes)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "http://evil.example/authorize",
        "javascript:alert(1)",
        "https://x/$(touch /tmp/x)",
        "https://x/`id`",
        'https://x/"&calc',
    ],
)
def test_only_a_web_address_reaches_the_systems_opener(url):
    from toolsearch_source_mcp._callback import checked

    with pytest.raises(ConfigError):
        checked(url)


def test_a_grant_shows_no_token():
    grant = Grant.model_validate_json('{"tokens": "hunter2", "client": "s3cret"}')
    assert "hunter2" not in repr(grant)
    assert "s3cret" not in str(grant)


class Keyring:
    """The two methods of a keyring backend over a dictionary."""

    def __init__(self):
        self.held = {}

    def get_password(self, service, name):
        return self.held.get((service, name))

    def set_password(self, service, name, password):
        self.held[service, name] = password

    def delete_password(self, service, name):
        del self.held[service, name]


@pytest.fixture(params=["file", "keyring"])
def kept(request, tmp_path):
    return FileVault(tmp_path / "state") if request.param == "file" else KeyringVault(Keyring())


def test_grants_are_kept_by_server_and_forgotten(kept):
    grant = Grant.model_validate_json('{"tokens": "t", "expires_at": 5.0}')
    kept.write("a", grant)
    kept.write("b", grant)
    assert kept.read("a") == grant
    kept.delete("a")
    kept.delete("a")
    assert kept.read("a") is None
    assert kept.read("b") == grant


def test_a_file_of_tokens_that_is_broken_is_no_grant(tmp_path):
    (tmp_path / "mcp-tokens.json").write_text("{broken")
    assert FileVault(tmp_path).read("a") is None
