from __future__ import annotations

import json


async def test_a_server_of_the_old_era_is_not_asked_anything_else_first(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log)
    await servers.listing(source)
    assert log.read_text().splitlines()[0].startswith("initialize")
    assert "server/discover" not in log.read_text()


async def test_a_server_of_the_new_era_alone_is_found_and_remembered(servers):
    log = servers.folder / "log"
    first = await servers.rogue("--log", log, "--eras", "modern")
    assert "echo" in await servers.names(first)
    assert (await servers.call(first, "echo")).value == "echo {}"
    await first.aclose()
    kept = servers.folder / "state" / "mcp-eras.json"
    assert json.loads(kept.read_text()) == {first.origin: "modern"}
    assert kept.stat().st_mode & 0o077 == 0
    log.unlink()
    again = await servers.rogue("--log", log, "--eras", "modern")
    assert "echo" in await servers.names(again)
    assert log.read_text().splitlines()[0].startswith("server/discover")
    assert "initialize" not in log.read_text()


async def test_a_server_that_went_back_to_the_old_era_is_forgotten_as_new(servers):
    kept = servers.folder / "state" / "mcp-eras.json"
    kept.parent.mkdir()
    source = await servers.rogue()
    kept.write_text(json.dumps({source.origin: "modern"}))
    assert "echo" in await servers.names(source)
    assert json.loads(kept.read_text()) == {}


async def test_a_memory_that_cannot_be_read_is_no_error(servers):
    kept = servers.folder / "state" / "mcp-eras.json"
    kept.parent.mkdir()
    kept.write_text("{broken")
    source = await servers.rogue()
    assert "echo" in await servers.names(source)


async def test_the_deployment_may_choose_the_era(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log, "--eras", "both", server={"protocol": "modern"})
    assert "echo" in await servers.names(source)
    assert log.read_text().splitlines()[0].startswith("server/discover")
