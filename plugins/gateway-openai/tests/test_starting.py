"""`toolsearch gateway` as a process: it refuses at its start what no request could be answered with."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest

KEY = {"OPENAI_API_KEY": "a-key-of-the-provider"}
LOCAL = "http://127.0.0.1:9/v1"


@pytest.fixture
def gateway(tmp_path):
    """`gateway(*flags, settings=..., environ=...)` gives the arguments of a process."""

    def arguments(*flags, settings=(), environ=KEY, **config):
        plugins = {"settings": {"gateway-openai": dict(settings)}, **config.pop("plugins", {})}
        file = tmp_path / "toolsearch.json5"
        file.write_text(json.dumps({"plugins": plugins, **config}))
        kept = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
        state = {"TOOLSEARCH_STATE_DIR": str(tmp_path / "state"), "HOME": str(tmp_path)}
        command = [sys.executable, "-m", "toolsearch", "--config", str(file), "gateway"]
        ports = () if "--port" in flags else ("--port", "0")
        return {"args": [*command, *ports, *flags], "env": kept | state | dict(environ)}

    return arguments


@pytest.fixture
def refused(gateway, tmp_path):
    """What it says as it refuses to start."""

    def said(*flags, **given):
        done = subprocess.run(
            **gateway(*flags, **given), cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert "serving at" not in done.stderr
        return done.stderr

    return said


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("localhost:8080/v1", "no http or https URL; give the provider's base URL, such as https"),
        ("http://", "no http or https URL"),
        ("http://provider:99999/v1", "is no URL (its host or its port is none)"),
        ("http://user:secret@provider/v1?key=secret", "has more behind its path"),
    ],
)
def test_an_address_of_the_provider_that_is_none(refused, url, why):
    said = refused("--base-url", url)
    assert why in said
    assert "secret" not in said


def test_an_address_of_the_provider_that_is_none_in_the_configuration(refused):
    said = refused(settings={"upstream": {"baseUrl": "localhost:8080/v1"}})
    assert "toolsearch.json5:1:" in said
    assert "upstream.baseUrl: 'localhost:8080/v1' is no http or https URL" in said


def test_a_key_that_the_configuration_names_and_that_is_not_set(refused):
    said = refused(settings={"upstream": {"keyVariable": "NOT_SET"}})
    assert "NOT_SET, which plugins.settings.gateway-openai.upstream.keyVariable names" in said
    assert "leave keyVariable out where the provider needs none" in said
    said = refused(settings={"keyVariable": "NOT_SET"})
    assert "NOT_SET, which plugins.settings.gateway-openai.keyVariable names" in said
    said = refused(settings={"operatorVariable": "NOT_SET"})
    assert "leave operatorVariable out and have one made" in said
    said = refused(settings={"apps": {"notes": {"variable": "NOT_SET"}}})
    assert "NOT_SET, the key of the app 'notes', is not set; set it" in said


def test_no_key_for_a_provider_that_answers_nobody_without_one(refused):
    said = refused(environ={})
    assert "OPENAI_API_KEY is not set" in said
    assert "give another --base-url" in said


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "TOOLSEARCH_GATEWAY_KEY"])
@pytest.mark.parametrize("key", ["a-key-with-a-break\n", "a-kéy-of-sixteen-characters"])
def test_a_key_that_no_header_can_carry(refused, variable, key):
    said = refused(environ=KEY | {variable: key})
    assert f"{variable} has something that no header can carry" in said
    assert "sixteen" not in said


def test_a_header_that_cannot_be_sent(refused):
    said = refused(settings={"upstream": {"headers": {"x team": "a"}}})
    assert "upstream.headers: 'x team' is no name of a header" in said
    said = refused(settings={"upstream": {"headers": {"x-team": "secret\r\nx: y"}}})
    assert "the value of x-team has something that no header can carry" in said
    assert "secret" not in said


def test_a_kept_key_that_was_cut_off(refused, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    (state / "gateway-openai.key").write_text("")
    assert "holds no whole key; delete it, and a new one is made" in refused()


def test_a_mode_that_is_not_there(refused):
    assert "no loaded plugin renders mode 'toolz'; did you mean 'tools'?" in refused(
        "--mode", "toolz"
    )
    apps = {"notes": {"variable": "NOTES"}, "mail": {"variable": "MAIL", "mode": "toolz"}}
    keys = {"NOTES": "n" * 20, "MAIL": "m" * 20}
    said = refused(settings={"apps": apps}, environ=KEY | keys)
    assert "the app 'mail': no loaded plugin renders mode 'toolz'" in said


def test_a_strict_mode_that_cannot_be_had(refused):
    said = refused(
        tools={"toolSearch": {"mode": "code", "strict": True}},
        plugins={"disabled": ["runner-node"]},
    )
    assert "mode 'code' is strict and cannot be had" in said


def test_nothing_that_draws_tools_for_this_api(refused):
    said = refused(plugins={"disabled": ["surface-openai"]})
    assert "no loaded plugin speaks 'openai-chat'" in said
    assert "which surface-openai has" in said


def test_an_address_that_cannot_be_listened_on(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "give another --port" in refused("--port", str(taken.getsockname()[1]))
    assert "give a --host that this machine has" in refused("--host", "192.0.2.1")
    assert "--port 70000 is no port; give one up to 65535" in refused("--port", "70000")


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        (("--base-url", LOCAL), {}),
        ((), {"upstream": {"passKey": True}}),
        ((), {"upstream": {"headers": {"Authorization": "Bearer of-another-kind"}}}),
    ],
)
def test_no_key_where_none_is_needed_starts(gateway, tmp_path, flags, settings):
    process = subprocess.Popen(
        **gateway(*flags, settings=settings, environ={}),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        said = ""
        for line in process.stderr:
            said += line
            if line.startswith("serving at "):
                break
        process.terminate()
    assert "serving at http://127.0.0.1:" in said
    assert process.returncode == 0
