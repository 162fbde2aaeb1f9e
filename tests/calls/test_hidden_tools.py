"""A tool outside the policy looks like one that is not there (S8), wherever a model may look."""

import asyncio
import itertools

import pytest

from toolsearch import CallError
from toolsearch_hookspecs import PolicyAnswer, Ruling, SourceUnavailable, ToolSpec, hookimpl

from ..conftest import ListSource

TOOLS = {
    "list_orders": "List the orders of a customer",
    "delete_order": "Delete an order of a customer for ever",
    "export_orders": "Export all orders to a spreadsheet",
}
HIDDEN = "delete_order"
NAMES = (
    HIDDEN,
    "DELETE_ORDER",
    "deleteOrder",
    f" {HIDDEN} ",
    f"functions.{HIDDEN}",
    f"plugin:shop:{HIDDEN}",
    f"Plugin:Shop:{HIDDEN}",
    f"shop.{HIDDEN}",
    f"shop__{HIDDEN}",
    "eraser",
    "plugin:vault:open",
    "vault.open",
    "open",
    "delete_ordr",
    "mcp:attic:look",
    "attic:look",
)
QUERIES = (
    *NAMES,
    "delete an order",
    "for ever",
    "+delete order",
    "owner:vault",
    "owner:shop",
    "server:attic",
    "source:mcp",
    "hint:destructive",
    "hint:destructive order",
    "select:delete_order,list_orders",
    "select:plugin:vault:open",
    "vault",
    "attic",
    "a spreadsheet",
    "order",
    "zebra",
)


def shop(*, whole):
    source = ListSource("shop", dict.fromkeys(TOOLS, lambda: "done"))
    source.specs = {
        name: ToolSpec(
            name=name,
            description=text,
            aliases=("eraser",) if name == HIDDEN else (),
            input_schema={"type": "object"},
        )
        for name, text in TOOLS.items()
        if whole or name != HIDDEN
    }
    return source


def sources(*, whole):
    """All that there is, or only what policy leaves of it."""
    if not whole:
        return [shop(whole=False)]
    vault = ListSource("vault", {"open": lambda: "opened", HIDDEN: lambda: "deleted"})
    attic = ListSource("attic", {"look": lambda: 1})
    attic.kind, attic.broken = "mcp", SourceUnavailable("it is asleep")
    return [shop(whole=True), vault, attic]


class Hides:
    """By id and by source, with a key that is reused or without."""

    def __init__(self, key):
        self.key = key

    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        hidden = [
            tool.id
            for tool in tools
            if tool.id == f"plugin:shop:{HIDDEN}" or tool.owner in {"vault", "attic"}
        ]
        return PolicyAnswer(denied={id_: Ruling(reason="no") for id_ in hidden}, cache_key=self.key)


async def heard(run):
    """Everything that the model of a run can be told, in order."""
    told = [run.surface.model_dump_json(), str(run.rendered("openai-chat"))]
    bridge = run.bridge("body")
    for name in NAMES:
        told += [
            (await run.handle(name, {})).text,
            (await run.handle("tool_call", {"id": name})).text,
            (await run.handle("tool_describe", {"id": name})).text,
            (await run.control("tool_call", {"id": name, "args": {"x": 1}})).text,
            (await run.control("tool_describe", {"id": name})).text,
            await failure(bridge.call(name, {})),
            await failure(bridge.describe(name)),
        ]
    for query in QUERIES:
        told += [
            (await run.control("tool_search", {"query": query})).text,
            (await run.control("tool_search", {"queries": [query, "order"]})).text,
            str(await bridge.search(query)),
        ]
    told.append(str(run.context.model_copy(update={"run_id": ""})))
    return told


async def failure(asked):
    try:
        return str(await asked)
    except CallError as error:
        return f"{error} {error.failure}"


@pytest.mark.parametrize(
    ("by", "mode"),
    [
        ("rules", "direct"),
        ("rules", "tools"),
        ("rules", "directory"),
        ("rules", "code"),
        ("names", "tools"),
        ("ids", "code"),
        ("plugin", "tools"),
        ("plugin with a key", "directory"),
    ],
)
async def test_what_is_denied_cannot_be_told_from_what_is_not_there(started, by, mode):
    config = {"tools": {"toolSearch": {"enabled": mode != "direct", "mode": mode}}}
    if mode == "direct":
        config["tools"]["toolSearch"] = False
    plugins = []
    match by:
        case "rules":
            config["tools"]["deny"] = ["plugin:shop:delete_order", "plugin:vault", "mcp:attic:*"]
        case "names":
            config["tools"]["deny"] = [HIDDEN, "open", "look"]
        case "ids":
            config["tools"]["deny"] = [HIDDEN, "plugin:vault:open", "mcp:att*:l?ok"]
        case "plugin":
            plugins = [("hides", Hides(None))]
        case _:
            plugins = [("hides", Hides("key"))]
    told, calls = [], []
    for whole in (True, False):
        given = sources(whole=whole)
        host = await started(config, *given, plugins=plugins)
        run = await host.plan(message="delete an order for ever")
        told.append(await heard(run))
        calls += [call.tool.name for call in itertools.chain(*(each.calls for each in given))]
    for denied, absent in zip(*told, strict=True):
        assert denied == absent
    assert HIDDEN not in calls
    assert "open" not in calls


async def test_what_is_denied_to_one_agent_does_not_show_in_what_another_finds(started):
    config = {
        "tools": {"toolSearch": {"mode": "tools"}},
        "agents": {"guest": {"deny": [HIDDEN, "plugin:vault", "mcp:attic:*"]}},
    }
    together = await started(config, *sources(whole=True))
    boss = await together.plan(agent="boss")
    assert (await boss.handle("tool_search", {"query": HIDDEN})).value["hits"]
    alone = await started(config, *sources(whole=False))
    told = [await heard(await host.plan(agent="guest")) for host in (together, alone)]
    for beside, absent in zip(*(each[:-1] for each in told), strict=True):
        assert beside == absent


class Closes:
    """Denies the hidden tool from the moment it is shut; counts how often it was asked of all."""

    def __init__(self, key=None):
        self.key, self.shut, self.asked = key, False, 0

    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        self.asked += len(tools) > 1
        shut = [tool.id for tool in tools if self.shut and tool.name == HIDDEN]
        denied = {id_: Ruling(reason="shut by now") for id_ in shut}
        return PolicyAnswer(denied=denied, cache_key=self.key)


async def shown(run):
    """What a run that had the tool before is told of it, by each way that shows anything."""
    bridge = run.bridge("body")
    return [
        (await run.handle("tool_search", {"query": "delete an order"})).text,
        (await run.handle("tool_search", {"queries": ["hint:destructive", "select:eraser"]})).text,
        str(await bridge.search(HIDDEN)),
        str((await run.search(HIDDEN)).hits),
        (await run.handle("tool_call", {"id": "delete_ordr"})).error.message,
        (await run.handle("tool_describe", {"id": "delete_ordr"})).error.message,
        (await run.handle("delete_ordr", {})).error.message,
    ]


async def test_what_policy_closes_while_the_run_lives_is_shown_by_nothing_from_then_on(started):
    source, policy = shop(whole=True), Closes()
    run = await (await started(None, source, plugins=[("closes", policy)])).plan()
    assert all(HIDDEN in text for text in await shown(run))
    policy.shut = True
    assert not any(HIDDEN in text for text in await shown(run))
    for way in ("tool_call", "tool_describe"):
        assert (await run.handle(way, {"id": HIDDEN})).error.code == "unavailable"
    assert (await failure(run.bridge("b").describe(HIDDEN))).startswith("that tool was there")
    assert [hit["name"] for hit in (await run.search("order")).hits] != []
    assert source.calls == []


async def test_a_call_to_what_policy_closed_meanwhile_is_blocked_and_says_by_whom(started):
    policy = Closes()
    run = await (await started(None, shop(whole=True), plugins=[("closes", policy)])).plan()
    policy.shut = True
    error = (await run.handle("tool_call", {"id": HIDDEN})).error
    assert (error.code, error.by) == ("blocked", "closes")
    assert "shut by now" in error.message
    assert not any(HIDDEN in text for text in await shown(run))


async def test_an_ambiguous_name_lists_nothing_that_policy_closed(started):
    policy = Closes()
    owners = [ListSource(name, {"drop": lambda: 1, HIDDEN: lambda: 2}) for name in ("a", "b")]
    vault = ListSource("vault", {"drop": lambda: 3})
    vault.specs["drop"] = ToolSpec(name=HIDDEN, aliases=("drop",))
    run = await (await started(None, *owners, vault, plugins=[("closes", policy)])).plan()
    hidden = f"plugin:vault:{HIDDEN}"
    assert hidden in (await run.handle("tool_call", {"id": "DROP"})).error.message
    policy.shut = True
    message = (await run.handle("tool_call", {"id": "DROP"})).error.message
    assert "plugin:a:drop, plugin:b:drop" in message
    assert hidden not in message


async def test_what_policy_opens_while_the_run_lives_is_found(started):
    policy = Closes()
    policy.shut = True
    source = shop(whole=True)
    run = await (await started(None, source, plugins=[("closes", policy)])).plan()
    assert (await run.search(f"select:{HIDDEN}")).hits == ()
    policy.shut = False
    assert (await run.search(f"select:{HIDDEN}")).hits
    assert (await run.handle("tool_call", {"id": HIDDEN})).value["result"] == "done"


async def test_a_policy_that_keeps_to_its_answer_is_asked_of_all_tools_once(started):
    policy = Closes("key")
    run = await (await started(None, shop(whole=True), plugins=[("closes", policy)])).plan()
    await shown(run)
    assert policy.asked == 1


async def test_a_policy_that_breaks_its_promise_is_found_out_at_the_first_call(started):
    policy = Closes("key")
    host = await started(None, shop(whole=True), plugins=[("closes", policy)])
    runs = [await host.plan() for _ in range(2)]
    policy.shut = True
    assert (await runs[0].handle("tool_call", {"id": HIDDEN})).error.code == "blocked"
    for run in (*runs, await host.plan()):
        assert not any(HIDDEN in text for text in await shown(run))


async def test_a_denial_by_arguments_leaves_the_tool_in_sight(started):
    config = {
        "tools": {
            "toolSearch": {"mode": "tools"},
            "deny": [{"tool": "list_orders", "when": {"/all": "true"}}],
        }
    }
    source = ListSource("shop", {"list_orders": lambda **given: "done"})
    run = await (await started(config, source)).plan()
    denied = await run.handle("tool_call", {"id": "list_orders", "args": {"all": True}})
    assert denied.error.code == "blocked"
    assert (await run.search("list orders")).hits
    assert (await run.call("list_orders", {"all": False})).value == "done"


async def test_a_policy_that_fails_while_the_run_lives_hides_everything_until_it_answers(started):
    class Fails(Closes):
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            if self.shut:
                raise RuntimeError
            return PolicyAnswer()

    policy = Fails()
    run = await (await started(None, shop(whole=True), plugins=[("fails", policy)])).plan()
    for shut in (True, False):
        policy.shut = shut
        assert bool((await run.search("order")).hits) is not shut


async def test_a_search_does_not_wait_for_a_source_that_is_asked_again_beside_it(
    started, monkeypatch
):
    monkeypatch.setattr("toolsearch.catalog._inventory.RETRY_AFTER_S", 0)
    asked = asyncio.Event()
    attic = ListSource("attic", {"look": lambda: 1})
    attic.broken = SourceUnavailable("it is asleep")
    run = await (await started(None, shop(whole=True), attic, plugins=[("c", Closes())])).plan()

    async def hangs(run):
        asked.set()
        await asyncio.Event().wait()

    attic.list_tools = hangs
    assert (await run.search("order")).hits
    await asked.wait()
    async with asyncio.timeout(8):
        assert (await run.search("order")).hits


async def test_a_tool_with_conditions_is_there_and_each_call_is_judged(started):
    config = {
        "tools": {
            "toolSearch": {"mode": "tools"},
            "deny": [{"tool": HIDDEN, "when": {"/id": "vip-*"}, "reason": "ask the owner"}],
        }
    }
    source = ListSource("shop", {HIDDEN: lambda id: f"deleted {id}"})
    source.specs[HIDDEN] = ToolSpec(
        name=HIDDEN,
        input_schema={
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
        },
    )
    run = await (await started(config, source)).plan()
    assert (await run.handle("tool_search", {"query": HIDDEN})).value["hits"]
    assert (await run.call(HIDDEN, {"id": "7"})).value == "deleted 7"
    for spelt in ({"id": "vip-1"}, '{"id": "vip-1"}', {"arguments": {"id": "vip-1"}}):
        error = (await run.handle("tool_call", {"id": HIDDEN, "args": spelt})).error
        assert (error.code, error.by) == ("blocked", "policy-rules")
        assert "ask the owner" in error.message
    assert len(source.calls) == 1
