"""A tool outside the policy looks like one that is not there (S8), wherever a model may look."""

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


async def test_a_tool_that_policy_closes_while_the_run_lives_leaves_like_any_other(started):
    closed = False

    class Closes:
        @hookimpl(inline=True)
        def toolsearch_tool_policy(self, run, tools, arguments):
            shut = [tool.id for tool in tools if closed and tool.name == HIDDEN]
            return PolicyAnswer(denied={id_: Ruling(reason="shut") for id_ in shut})

    source = shop(whole=True)
    host = await started(None, source, plugins=[("closes", Closes())])
    run = await host.plan()
    closed = True
    source.changed()
    text = (await run.handle("tool_search", {"query": "delete an order"})).text
    assert HIDDEN not in text
    for way in ("tool_call", "tool_describe"):
        assert (await run.handle(way, {"id": HIDDEN})).error.code == "unavailable"
    assert HIDDEN not in (await run.handle("tool_call", {"id": "delete_ordr"})).error.message
    assert source.calls == []


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
