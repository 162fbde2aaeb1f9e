"""`toolsearch serve` as a process: it refuses at its start what no client could be served with."""

from __future__ import annotations

import socket
import subprocess

import pytest

HTTP = ("--http", "--port", "0")


@pytest.fixture
def refused(serving, monkeypatch):
    """What it says as it refuses to start."""

    def said(*flags, settings=(), environ=(), **config):
        serving.config = {"plugins": {"settings": {"serve-mcp": dict(settings)}}, **config}
        for name, value in dict(environ).items():
            monkeypatch.setenv(name, value)
        process = serving.start(
            *flags,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 2, errors
        assert "Traceback" not in errors
        assert "serving at" not in errors
        return errors

    return said


@pytest.mark.parametrize("flags", [(), HTTP])
def test_a_mode_that_is_not_there_or_cannot_be_had(refused, flags):
    said = refused(*flags, "--mode", "toolz")
    assert "no loaded plugin renders mode 'toolz'; did you mean 'tools'?" in said
    said = refused(
        *flags,
        tools={"toolSearch": {"mode": "code", "strict": True}},
        plugins={"disabled": ["runner-node"]},
    )
    assert "mode 'code' is strict and cannot be had" in said


def test_an_address_that_cannot_be_listened_on(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = refused("--http", "--port", str(taken.getsockname()[1]))
    assert "give another --port" in said
    assert "give a --host that this machine has" in refused(*HTTP, "--host", "192.0.2.1")
    assert "--port 70000 is no port" in refused("--http", "--port", "70000")


@pytest.mark.parametrize("path", ["mcp", "", "/m cp", "/{id}"])
def test_a_path_that_no_request_can_have(refused, path):
    said = refused(*HTTP, settings={"path": path})
    assert "plugins.settings.serve-mcp.path" in said
    assert "begin it with a slash, such as /mcp" in said


def test_a_token_that_nobody_could_send(refused):
    said = refused(*HTTP, settings={"tokenVariable": "NOT_SET"})
    assert "NOT_SET, which plugins.settings.serve-mcp.tokenVariable names, is not set" in said
    token = {"TOOLSEARCH_SERVE_TOKEN": "a-token-with-a-break\n"}
    assert "something that no header can carry" in refused(*HTTP, environ=token)


def test_a_kept_token_that_was_cut_off(refused, serving):
    kept = serving.folder / "state/toolsearch/serve-mcp.token"
    kept.parent.mkdir(parents=True)
    kept.write_text("")
    assert "holds no whole token; delete it, and a new one is made" in refused(*HTTP)
