from __future__ import annotations

import json

import pytest

from toolsearch_hookspecs import ConfigError, PluginContext
from toolsearch_source_mcp import plugin
from toolsearch_source_mcp._foreign import read_servers
from toolsearch_source_mcp._jsonc import parse_jsonc, with_members
from toolsearch_source_mcp._translate import translated


class Shown:
    """A command's context that keeps what was shown."""

    def __init__(self, *, json):
        self.json = json
        self.data = []
        self.text = ""

    def host(self):
        raise AssertionError("importing starts nothing")

    def show(self, data, *, text=None):
        self.data.append(data)
        self.text += text or ""


@pytest.fixture
def taking_over(tmp_path, monkeypatch):
    """Run the command in an empty folder with an empty home; gives what was shown."""
    home = tmp_path / "home"
    home.mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)

    async def run(what, **given):
        context = PluginContext(
            name="source-mcp",
            base_dir=folder,
            config_path=given.pop("config", None),
            state_dir=tmp_path / "state",
            environ={"HOME": str(home)},
        )
        commands = {one.name: one for one in plugin().toolsearch_commands(context)}
        shown = Shown(json=given.pop("json", False))
        await commands["import"].run(shown, {"what": what} | given)
        return shown

    run.folder, run.home = folder, home
    return run


SERVER = {"command": "npx", "args": ["-y", "a b"], "env": {"TOKEN": "hunter2"}}


async def test_servers_of_claude_are_shown_in_full_and_written(taking_over):
    (taking_over.folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    shown = await taking_over("claude")
    assert "a: TOKEN=*** npx -y 'a b'" in shown.text
    assert "hunter2" not in shown.text
    written = taking_over.folder / "toolsearch.json5"
    assert json.loads(written.read_text()) == {"mcpServers": {"a": SERVER}}
    assert written.stat().st_mode & 0o077 == 0


async def test_the_section_of_this_project_counts_too(taking_over):
    whole = {
        "mcpServers": {"user": SERVER},
        "projects": {
            str(taking_over.folder): {"mcpServers": {"mine": SERVER}},
            "/elsewhere": {"mcpServers": {"other": SERVER}},
        },
    }
    (taking_over.home / ".claude.json").write_text(json.dumps(whole))
    shown = await taking_over("claude", dry_run=True)
    assert {row["server"] for row in shown.data[0]} == {"user", "mine"}
    assert not (taking_over.folder / "toolsearch.json5").exists()


async def test_vscode_asks_a_person_where_here_a_variable_stands(taking_over):
    (taking_over.folder / ".vscode").mkdir()
    (taking_over.folder / ".vscode" / "mcp.json").write_text(
        """{ // comment
          "inputs": [{"id": "api-key"}],
          "servers": {"v": {"type": "http", "url": "https://x/mcp",
                            "headers": {"Authorization": "Bearer ${input:api-key}"},},}
        }"""
    )
    shown = await taking_over("vscode")
    assert "set that variable" in shown.text
    written = json.loads((taking_over.folder / "toolsearch.json5").read_text())
    assert written["mcpServers"]["v"]["headers"] == {"Authorization": "Bearer ${env:API_KEY}"}


async def test_codex_keeps_servers_in_toml(taking_over):
    (taking_over.home / ".codex").mkdir()
    (taking_over.home / ".codex" / "config.toml").write_text(
        """
        [mcp_servers.c]
        command = "tool"
        env_vars = ["A"]
        startup_timeout_sec = 2.5
        tool_timeout_sec = 60
        enabled_tools = ["read"]
        [mcp_servers.web]
        url = "https://x/mcp"
        bearer_token_env_var = "T"
        enabled = false
        env_http_headers = { X = "V" }
        """
    )
    await taking_over("codex")
    written = json.loads((taking_over.folder / "toolsearch.json5").read_text())["mcpServers"]
    assert written["c"] == {
        "command": "tool",
        "env": {"A": "${A}"},
        "startTimeoutMs": 2500,
        "timeout": 60000,
        "includeTools": ["read"],
    }
    assert written["web"] == {
        "url": "https://x/mcp",
        "bearerTokenEnvVar": "T",
        "disabled": True,
        "headers": {"X": "${V}"},
    }


async def test_what_another_client_approves_by_itself_is_left_out_and_said(taking_over):
    file = taking_over.folder / "their.json"
    file.write_text(json.dumps({"mcpServers": {"a": SERVER | {"autoApprove": ["x"], "odd": 1}}}))
    shown = await taking_over("their.json")
    assert "`autoApprove` approves calls in another client" in shown.text
    assert "`odd` has no meaning here" in shown.text
    written = json.loads((taking_over.folder / "toolsearch.json5").read_text())
    assert "autoApprove" not in written["mcpServers"]["a"]


async def test_a_server_that_cannot_be_used_is_shown_with_the_reason_and_not_written(taking_over):
    file = taking_over.folder / "their.json"
    file.write_text(
        json.dumps({"mcpServers": {"old": {"url": "http://x", "type": "sse"}, "a": SERVER}})
    )
    shown = await taking_over("their.json")
    assert "HTTP+SSE transport was withdrawn" in shown.text
    written = json.loads((taking_over.folder / "toolsearch.json5").read_text())
    assert set(written["mcpServers"]) == {"a"}


OURS = "{ mcpServers: { a: { url: 'http://mine' }, }, }"


async def test_servers_of_the_file_that_is_written_are_kept_unless_they_are_to_be_replaced(
    taking_over,
):
    ours = taking_over.folder / "toolsearch.json5"
    ours.write_text(OURS)
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    for given in ({}, {"dry_run": True}, {"output": "toolsearch.json5"}, {"config": ours}):
        shown = await taking_over("their.json", **given)
        assert "already there" in shown.text
        assert "nothing was written" in shown.text
        assert ours.read_text() == OURS
    await taking_over("their.json", replace=True)
    assert parse_jsonc(ours.read_text()) == {"mcpServers": {"a": SERVER}}


async def test_an_import_that_is_done_again_takes_nothing_over(taking_over):
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    await taking_over("their.json")
    (taking_over.folder / "their.json").write_text('{"mcpServers": {"a": {"url": "http://x"}}}')
    assert "already there" in (await taking_over("their.json")).text


async def test_the_file_in_use_is_the_one_that_is_written(taking_over):
    named = taking_over.home / "mine.json5"
    named.write_text("{ // mine\n}")
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    await taking_over("their.json", config=named)
    assert parse_jsonc(named.read_text()) == {"mcpServers": {"a": SERVER}}
    assert not (taking_over.folder / "toolsearch.json5").exists()


async def test_what_comes_next_and_a_secret_in_the_open_are_said(taking_over):
    whole = {
        "plain": SERVER,
        "named": SERVER | {"env": {"TOKEN": "${TOKEN}", "TZ": "UTC"}},
        "web": {"url": "https://x/mcp", "headers": {"Authorization": "Bearer abcdefghijk"}},
    }
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": whole}))
    shown = await taking_over("their.json")
    remarks = {row["server"]: row["remarks"] for row in shown.data[0]}
    assert "the variable TOKEN holds a secret" in remarks["plain"][0]
    assert remarks["named"] == []
    assert "the header Authorization holds a secret" in remarks["web"][0]
    assert "toolsearch config trust" in shown.text


async def test_a_program_is_given_one_document(taking_over):
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    (told,) = (await taking_over("their.json", json=True)).data
    assert told["written"] == str(taking_over.folder / "toolsearch.json5")
    assert [row["state"] for row in told["servers"]] == ["taken"]
    (again,) = (await taking_over("their.json", json=True)).data
    assert again["written"] is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "s": {\n    "a": 1\n  }\n}'),
        ("{ t: {} }", '{\n  "s": {\n    "a": 1\n  },\n  t: {}\n}'),
        ("{\n  s: { b: 2 },\n}", '{\n  s: {\n    "a": 1,\n    b: 2\n  },\n}'),
        ("{\n  s: {\n    b: 2,\n  },\n}", '{\n  s: {\n    "a": 1,\n    b: 2,\n  },\n}'),
        ("{\n  s: { b: 2,\n    c: 3 },\n}", '{\n  s: {\n    "a": 1,\n    b: 2,\n    c: 3 },\n}'),
        ('{\n  "s": { "b": 2 }\n}', '{\n  "s": {\n    "a": 1,\n    "b": 2\n  }\n}'),
        ("{\n  s: { // mine\n  },\n}", '{\n  s: {\n    "a": 1 // mine\n  },\n}'),
    ],
)
def test_members_are_put_in_a_line_each(before, after):
    assert with_members(before, "s", {"a": 1}) == after


async def test_servers_are_put_into_the_file_that_is_there_and_its_comments_stay(taking_over):
    ours = taking_over.folder / "toolsearch.json5"
    ours.write_text(
        "{ // mine\n  tools: { deny: ['x'] },\n  mcpServers: { b: { url: 'u' }, },\n}\n"
    )
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    await taking_over("their.json")
    text = ours.read_text()
    assert "// mine" in text
    assert "tools: { deny: ['x'] }" in text
    assert parse_jsonc(text)["mcpServers"] == {"a": SERVER, "b": {"url": "u"}}


async def test_a_server_of_the_file_is_replaced_in_place(taking_over):
    ours = taking_over.folder / "toolsearch.json5"
    ours.write_text("{ mcpServers: { a: { url: 'u' } /* kept */ } }")
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    await taking_over("their.json", replace=True)
    assert parse_jsonc(ours.read_text()) == {"mcpServers": {"a": SERVER}}
    assert "/* kept */" in ours.read_text()


async def test_a_file_without_servers_gets_a_section_for_them(taking_over):
    ours = taking_over.folder / "toolsearch.json5"
    ours.write_text("// a comment\n{}\n")
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    await taking_over("their.json")
    assert parse_jsonc(ours.read_text()) == {"mcpServers": {"a": SERVER}}


async def test_a_file_that_cannot_be_read_is_left_as_it_is(taking_over):
    ours = taking_over.folder / "toolsearch.json5"
    ours.write_text("{ broken")
    (taking_over.folder / "their.json").write_text(json.dumps({"mcpServers": {"a": SERVER}}))
    with pytest.raises(ConfigError, match="left as it is"):
        await taking_over("their.json")
    assert ours.read_text() == "{ broken"


@pytest.mark.parametrize("what", ["claude", "cursor", "vscode", "codex", "no-such-file.json"])
async def test_where_nothing_is_found_the_places_are_named(taking_over, what):
    with pytest.raises(ConfigError):
        await taking_over(what)


def test_all_the_keys_under_which_servers_stand_are_known(tmp_path):
    for number, whole in enumerate(
        ({"mcpServers": {"a": {}}}, {"servers": {"a": {}}}, {"mcp": {"servers": {"a": {}}}})
    ):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(whole))
        assert set(read_servers(file, tmp_path)) == {"a"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        (
            "{a: 'x\\'y\"', /* c */ b: [1, 2,], // d\n c: null}",
            {"a": "x'y\"", "b": [1, 2], "c": None},
        ),
        ('{"url": "http://x//y"}', {"url": "http://x//y"}),
        ('{"a": "/* no */ // comment"}', {"a": "/* no */ // comment"}),
    ],
)
def test_json_with_comments_and_loose_ends_is_read(text, value):
    assert parse_jsonc(text) == value


@pytest.mark.parametrize("text", ["{", "{a}", "'", '{"a": 1 "b": 2}', ""])
def test_json_that_is_none_is_refused(text):
    with pytest.raises(ValueError):
        parse_jsonc(text)


def test_a_server_without_keys_of_ours_is_refused_with_the_reason():
    assert "needs a `command`" in translated("a", {"icon": "x"}).refused
