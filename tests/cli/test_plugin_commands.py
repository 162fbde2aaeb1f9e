"""A command of a plugin, and the hooks of the same plugin, are of one host."""

WATCHED = """
from toolsearch_hookspecs import Command, hookimpl


class plugin:
    def __init__(self):
        self.seen = []

    @hookimpl
    async def toolsearch_catalog_built(self, run, tools):
        self.seen.append(run.agent)

    @hookimpl
    def toolsearch_commands(self, plugin):
        async def watch(context, values):
            for agent in ("first", "second"):
                async with context.host() as host:
                    run = await host.plan(agent=agent)
                    await run.aclose()
            context.show(self.seen)

        yield Command(name="watch", help="Watch.", run=watch, turns_on=True)
"""


def test_a_command_hears_what_its_own_plugins_hooks_see(cli, third_party):
    third_party("watcher", WATCHED)
    done = cli("--enable", "watcher", "watch", "--json")
    # The second host of one invocation is made anew: a host that was closed stays closed.
    assert done.json == ["first"]
