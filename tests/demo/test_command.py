"""`toolsearch demo` on the command line."""

import json

import pytest

from toolsearch.cli._app import run

SERVERS = json.dumps({"mcpServers": {"gone": {"command": "no-such-program-here"}}})


@pytest.fixture
def servers(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    file = tmp_path / "servers.json"
    file.write_text(SERVERS)
    return str(file)


def test_json_is_one_document_with_a_key_a_step(servers, capsys):
    code = run(["demo", "--json", "--mcp-config", servers])
    data = json.loads(capsys.readouterr().out)
    assert list(data) == ["catalog", "exposure", "tools", "code", "denied", "blocked", "log"]
    assert data["blocked"]["by"] == "demo-guard"
    assert data["tools"]["exchanges"][0]["name"] == "tool_search"
    assert code == 0


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path, capsys):
    assert run(["demo", "--mcp-config", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err


def test_a_file_without_servers_is_one_message(tmp_path, capsys):
    file = tmp_path / "servers.json"
    file.write_text("{}")
    assert run(["demo", "--mcp-config", str(file)]) == 2
    said = capsys.readouterr().err
    assert "has no servers" in said
    assert "Traceback" not in said
