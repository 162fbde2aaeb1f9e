"""Sources that are not as they should be: said to the operator, and no harm to the others."""

import asyncio

import pytest

from toolsearch import Host, tracebacks
from toolsearch_hookspecs import ConfigError, SourceListing, SourceUnavailable

from ..conftest import ListSource


def good():
    return ListSource("good", {"fine": lambda: "fine"})


def said_of(host, code):
    return [each for each in host.diagnostics() if each.code == code]


class Starting(ListSource):
    """Starts as the test says."""

    def __init__(self, step):
        super().__init__("odd", {"works": lambda: "works"})
        self.step = step

    async def start(self, changed):
        await self.step()


async def boom():
    raise RuntimeError("boom")


async def test_a_source_whose_start_raises_is_said_to_and_asked_for_its_tools_all_the_same(started):
    with tracebacks.collected() as texts:
        host = await started(None, Starting(boom), good())
    (told,) = said_of(host, "source_unstarted")
    assert told.message == (
        "source odd did not start: its start raised RuntimeError: boom; it is asked for its tools "
        "all the same"
    )
    assert told.level == "error"
    assert "SourceUnavailable" in told.cure
    assert 'raise RuntimeError("boom")' in texts[0]
    run = await host.plan()
    assert (await run.call("works")).value == "works"
    assert (await run.call("fine")).value == "fine"


async def test_a_source_that_cannot_be_had_at_the_start_but_later_is_no_finding(started):
    async def away():
        raise SourceUnavailable("the disk is not mounted")

    host = await started(None, Starting(away), good())
    assert said_of(host, "source_unstarted") == []
    assert (await (await host.plan()).call("works")).value == "works"


async def test_a_source_that_does_not_come_back_from_its_start_is_said_to(started):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 100}}}
    host = await started(config, Starting(lambda: asyncio.sleep(60)), good())
    (told,) = said_of(host, "source_unstarted")
    assert "its start did not return within 0.1 s" in told.message


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ((), "its list_tools answered tuple, not a SourceListing"),
        (None, "its list_tools answered NoneType, not a SourceListing"),
        (OSError("no disk"), "its list_tools raised OSError: no disk"),
        (TimeoutError("no answer from the disk"), "its list_tools raised TimeoutError: no answer"),
    ],
)
async def test_what_is_wrong_with_a_listing_is_said_to_the_operator_alone(started, listed, said):
    odd = ListSource("odd", {"works": lambda: 1})

    async def list_tools(run):
        if isinstance(listed, Exception):
            raise listed
        return listed

    odd.list_tools = list_tools
    host = await started(None, odd, good())
    run = await host.plan()
    (told,) = [each for each in run.diagnostics if each.code == "source_unavailable"]
    assert said in told.message
    answer = await run.handle("tool_call", {"id": "plugin:odd:works"})
    assert "source odd is unavailable" in answer.text
    assert "list_tools" not in answer.text


class Bare:
    """A program's own source that lacks what ids and grants are made of."""

    name, kind = "bare", "openclaw"

    async def start(self, changed):
        return None

    async def list_tools(self, run):
        return SourceListing(generation="1", tools=())

    async def call(self, call):
        return None

    async def aclose(self):
        return None


async def test_a_source_of_the_program_that_is_none_stops_the_start_in_one_sentence(tmp_path):
    host = Host.from_config({}, sources=[Bare()], environ={}, state_dir=tmp_path)
    with pytest.raises(
        ConfigError, match="is no ToolSource: it lacks `trusted`; it lacks `origin`"
    ):
        await host.start()
    await host.aclose()


async def test_two_sources_of_the_program_with_one_name_stop_the_start(tmp_path):
    host = Host.from_config({}, sources=[good(), good()], environ={}, state_dir=tmp_path)
    with pytest.raises(ConfigError, match="two sources of the name 'good'"):
        await host.start()
    await host.aclose()


async def test_a_source_that_changes_its_members_is_left_out_and_its_siblings_stay(started):
    class Flickering(ListSource):
        reads = 0

        @property
        def origin(self):
            type(self).reads += 1
            if self.reads > 1:
                raise OSError("no disk")
            return "here"

        @origin.setter
        def origin(self, value):
            pass

    host = await started(None, Flickering("odd", {"x": lambda: 1}), good())
    (told,) = said_of(host, "source_unfit")
    assert "reading its members raised OSError: no disk" in told.message
    assert [tool.id for tool in (await host.plan()).catalog.tools] == ["plugin:good:fine"]


async def test_the_notes_of_an_unavailable_source_are_for_the_operator_alone(started):
    class Away(ListSource):
        async def list_tools(self, run):
            error = SourceUnavailable("the disk is not mounted")
            error.add_note("mount it with sudo mount /srv")
            raise error

    host = await started(None, Away("odd", {"works": lambda: 1}), good())
    run = await host.plan()
    (told,) = [each for each in run.diagnostics if each.code == "source_unavailable"]
    assert told.message == (
        "source odd is unavailable: the disk is not mounted; mount it with sudo mount /srv"
    )
    answer = await run.handle("tool_call", {"id": "plugin:odd:works"})
    assert "the disk is not mounted" in answer.text
    assert "sudo" not in answer.text


@pytest.mark.parametrize(
    ("own", "listed"), [(60_000, True), (None, False), (0, False), ("soon", False)]
)
async def test_a_source_whose_settings_say_how_long_its_list_may_take_gets_that_long(
    started, own, listed
):
    class Slow(ListSource):
        list_timeout_ms = own

        async def list_tools(self, run):
            await asyncio.sleep(1 if listed else 60)
            return await super().list_tools(run)

    config = {"tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 200}}}
    host = await started(config, Slow("slow", {"late": lambda: "late"}))
    run = await host.plan()
    assert ("plugin:slow:late" in run.catalog.by_id) is listed
    said = [each.message for each in run.diagnostics if each.code == "source_unavailable"]
    assert bool(said) is not listed
    assert all("did not return within 0.2 s" in each for each in said)
    assert all("tools.limits.sourceTimeoutMs" in each for each in said)
