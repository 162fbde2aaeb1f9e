"""A tool that is named by its exact id needs its own server alone, and nothing else tells."""

import json
import sys

import pytest

SERVER = """
import json, sys

name, notes, *tools = sys.argv[1:]
open(notes, "a").write(name + "\\n")
listed = [{"name": tool, "inputSchema": {"type": "object"}} for tool in tools]
for line in sys.stdin:
    asked = json.loads(line)
    match asked.get("method"):
        case "initialize":
            version = asked["params"]["protocolVersion"]
            info = {"name": name, "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            result = {"tools": listed}
        case "tools/call":
            said = name + " did " + asked["params"]["name"]
            result = {"content": [{"type": "text", "text": said}]}
        case _:
            if "id" in asked:
                error = {"code": -32601, "message": "no"}
                print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

NEIGHBOURLY = """
from toolsearch_hookspecs import PolicyAnswer, hookimpl


class plugin:
    @hookimpl
    def toolsearch_tool_policy(self, run, tools, arguments):
        # Few tools are suspicious: as no policy of ours does, it goes by the whole catalog.
        few = arguments is None and len(tools) < 4
        return PolicyAnswer(denied={tool.id: "too few" for tool in tools} if few else {})
"""


@pytest.fixture
def servers(place, cli):
    """Two servers, with rules; gives what a command did and which servers it started."""
    notes = place / "notes"
    script = place / "server.py"
    script.write_text(SERVER)

    def server(name, *tools):
        return {"command": sys.executable, "args": [str(script), name, str(notes), *tools]}

    config = {
        "tools": {"deny": ["mcp:a:hidden", "mcp:b:reed"], "ask": ["mcp:a:risky"]},
        "approvals": {"waitMs": 100},
        "mcpServers": {
            "a": server("a", "read", "hidden", "risky", "write"),
            "b": server("b", "read", "move"),
            "c": {"command": "no-such-command-anywhere"},
        },
    }
    (place / "two.json5").write_text(json.dumps(config))

    def run(*words):
        notes.write_text("")
        done = cli("--config", "two.json5", *words)
        return done, sorted(set(notes.read_text().split()))

    return run


@pytest.mark.parametrize("word", ["call", "describe"])
def test_an_exact_id_starts_its_own_server_and_says_nothing_of_others(servers, word):
    done, started = servers(word, "mcp:a:read", "--json")
    assert (done.code, done.err, started) == (0, "", ["a"])
    done, started = servers(word, "move", "--json")
    assert (done.code, started) == (0, ["a", "b"])
    assert "server c is unavailable" in done.err


def test_a_name_of_several_servers_is_ambiguous_and_an_id_is_not(servers):
    done, started = servers("call", "read")
    assert (done.code, started) == (1, ["a", "b"])
    assert "mcp:a:read" in done.err
    assert "mcp:b:read" in done.err
    done, started = servers("call", "mcp:b:read")
    assert (done.out, started) == ("b did read\n", ["b"])


def test_a_denied_tool_looks_as_absent_as_one_that_is_not_there(servers):
    hidden, started = servers("call", "mcp:a:hidden")
    assert started == ["a", "b"]
    absent, _ = servers("call", "mcp:a:hiddem")
    assert hidden.code == absent.code == 1
    assert hidden.err.replace("hidden", "hiddem") == absent.err
    elsewhere, _ = servers("call", "mcp:a:move")
    assert "Did you mean mcp:b:move?" in elsewhere.err
    nowhere, started = servers("describe", "mcp:nobody:move")
    assert started == ["a", "b"]
    assert "mcp:b:move" in nowhere.err


def test_rules_and_approval_hold_as_they_do_among_all(servers):
    done, started = servers("call", "mcp:a:risky", "--json")
    assert (done.code, started) == (1, ["a"])
    assert done.json["error"]["code"] == "blocked"
    assert "approval needed for mcp:a:risky" in done.err


def test_a_server_that_is_down_is_named_without_the_others_being_started(servers):
    done, started = servers("call", "mcp:c:anything", "--json")
    assert (done.code, started) == (1, [])
    assert done.json["error"]["code"] == "unavailable"


def test_a_policy_that_may_go_by_the_whole_catalog_is_shown_all_of_it(servers, third_party):
    third_party("neighbourly", NEIGHBOURLY)
    done, started = servers("--enable", "neighbourly", "call", "mcp:a:read")
    assert (done.out, started) == ("a did read\n", ["a", "b"])


def test_a_search_asks_every_server(servers):
    done, started = servers("search", "read")
    assert started == ["a", "b"]
    assert {"mcp:a:read", "mcp:b:read"} <= set(done.out.split())
