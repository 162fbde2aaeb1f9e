from __future__ import annotations

import asyncio


async def announced(servers) -> str:
    async with asyncio.timeout(20):
        return await servers.changes.get()


async def test_a_flood_of_announcements_is_one_change(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log)
    before = await servers.listing(source)
    await servers.call(source, "change_tools", extra=2, times=500)
    assert await announced(servers) == "rogue"
    after = await servers.listing(source)
    assert {tool.name for tool in after.tools} >= {"extra_0", "extra_1"}
    assert after.generation != before.generation
    await servers.call(source, "echo")
    assert log.read_text().count("tools/list") < 10
    assert servers.changes.empty()


async def test_tools_that_did_not_change_are_the_same_objects(servers):
    source = await servers.rogue()
    before = {tool.name: tool for tool in (await servers.listing(source)).tools}
    await servers.call(source, "change_tools", extra=1)
    await announced(servers)
    after = {tool.name: tool for tool in (await servers.listing(source)).tools}
    assert set(after) - set(before) == {"extra_0"}
    assert all(after[name] is tool for name, tool in before.items())


async def test_an_announcement_without_a_change_is_not_passed_on(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log)
    before = await servers.listing(source)
    await servers.call(source, "change_tools", extra=0)
    await servers.until(lambda: log.read_text().count("tools/list") == 2)
    await servers.call(source, "echo")
    assert servers.changes.empty()
    assert (await servers.listing(source)).generation == before.generation


async def test_the_same_tools_have_the_same_generation_after_a_restart(servers):
    first = await servers.rogue(name="a")
    second = await servers.rogue("--pages", "two", name="b")
    assert (await servers.listing(first)).generation == (await servers.listing(second)).generation


async def test_a_tool_that_went_away_is_no_longer_listed(servers):
    source = await servers.rogue()
    await servers.call(source, "change_tools", extra=1)
    names = await servers.names(source)
    while "extra_0" not in names:
        await announced(servers)
        names = await servers.names(source)
    await servers.call(source, "change_tools", extra=0)
    await announced(servers)
    assert "extra_0" not in await servers.names(source)
