"""A source that is wrong in one way fails the case that is about it."""

import asyncio
import threading

import pytest

from toolsearch.testing import ListSource, ToolSourceConformance, Yields
from toolsearch_hookspecs import SourceListing, ToolError


def say(text: str = "") -> str:
    return text


class Right(ListSource):
    """What the wrong ones are made of: nothing is wrong with it."""

    def __init__(self):
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        super().__init__("echo", {"say": say}, say={"input_schema": schema})

    async def call(self, call):
        if call.tool.name not in self.functions:
            raise ToolError("there is no such tool")
        return await super().call(call)


def suite_of(source):
    class Suite(ToolSourceConformance):
        example = ("say", {"text": "hello"})
        patience = 3.0

        class plugin(Yields):  # noqa: N801
            def __init__(self):
                super().__init__(source())

    return Suite


class Capitals(Right):
    def __init__(self):
        super().__init__()
        self.name = "Echo Server"


class HostKind(Right):
    kind = "openclaw"


class NoOrigin(Right):
    def __init__(self):
        super().__init__()
        self.origin = ""


class NeverSame(Right):
    async def list_tools(self, run):
        self.generation += 1
        return await super().list_tools(run)


class SilentChange(Right):
    async def list_tools(self, run):
        spec = self.specs["say"]
        self.specs["say"] = spec.model_copy(update={"description": spec.description + "!"})
        return await super().list_tools(run)


class ListsAList(Right):
    async def list_tools(self, run):
        return list(self.specs.values())


class Twice(Right):
    async def list_tools(self, run):
        spec = self.specs["say"]
        return SourceListing(generation="1", tools=[spec, spec])


class NoSchema(Right):
    async def list_tools(self, run):
        tool = {"name": "say", "description": "Say.", "input_schema": {"type": "array"}}
        return SourceListing(generation="1", tools=[tool])


class Unusable(Right):
    def __init__(self):
        super().__init__()
        broken = {"type": "object", "properties": {"text": {"$ref": "#/nowhere"}}}
        self.specs["say"] = self.specs["say"].model_copy(update={"input_schema": broken})


class Refuses(Right):
    async def list_tools(self, run):
        if run.parent is not None:
            raise ValueError("no sub-agents")
        return await super().list_tools(run)


class RaisesBugs(Right):
    async def call(self, call):
        return self.functions[call.tool.name](**call.arguments).encode().decode()


class KeepsArguments(Right):
    async def call(self, call):
        call.arguments["seen"] = True
        return "ok"


class OneAtATime(Right):
    busy = False

    async def call(self, call):
        if self.busy:
            raise ToolError("busy")
        self.busy = True
        await asyncio.sleep(0)
        self.busy = False
        return await super().call(call)


class Hangs(Right):
    async def aclose(self):
        await asyncio.Event().wait()


class LeavesATask(Right):
    async def start(self, changed):
        self.task = asyncio.create_task(asyncio.Event().wait(), name="poller")


class LeavesAThread(Right):
    async def start(self, changed):
        release = threading.Event()
        LeavesAThread.releases.append(release)
        threading.Thread(target=release.wait, name="worker").start()

    releases: list[threading.Event] = []  # noqa: RUF012


class Plain(Right):
    def list_tools(self, run):
        return SourceListing(generation="1", tools=list(self.specs.values()))


class Anonymous(Right):
    origin = None

    def __init__(self):
        super().__init__()
        self.origin = None


class Misspelt(Right):
    def __init__(self):
        super().__init__()
        wrong = {"type": "object", "properties": {"text": {"type": "strng"}}}
        self.specs["say"] = self.specs["say"].model_copy(update={"input_schema": wrong})


class ChokesTwice(Right):
    async def call(self, call):
        text = call.arguments["text"]
        if "\x00" in text:
            raise KeyError("zero")
        return text.encode().decode()


class Shared(Right):
    stock: dict[str, object] = {}  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self.stock.update(self.specs)
        self.specs = self.stock

    async def aclose(self):
        self.stock.clear()


def test_a_right_source_passes_every_case(faults):
    assert faults(suite_of(Right)) == {}


@pytest.mark.parametrize(
    ("source", "case", "said"),
    [
        (Capitals, "test_its_name_can_be_an_owner", "use a-z, 0-9"),
        (HostKind, "test_its_kind_is_one_that_a_plugin_may_have", "of kind 'plugin'"),
        (NoOrigin, "test_its_origin_identifies_it_without_secrets", "grants are bound to it"),
        (NeverSame, "test_nothing_changes_by_itself", "validate and index everything again"),
        (SilentChange, "test_an_unchanged_generation_has_unchanged_tools", "change `generation`"),
        (ListsAList, "test_it_lists_a_source_listing", "give SourceListing"),
        (Twice, "test_names_are_unique_within_it", "more than once"),
        (NoSchema, "test_the_host_quarantines_none_of_its_tools", "not an object"),
        (Unusable, "test_every_schema_can_be_checked_against", "cannot be used"),
        (Refuses, "test_it_answers_whoever_asks", "only SourceUnavailable"),
        (RaisesBugs, "test_an_unknown_tool_is_an_error_of_ours", "raise ToolError"),
        (RaisesBugs, "test_hostile_texts_raise_nothing_but_errors_of_ours", "Raise ToolError"),
        (KeepsArguments, "test_a_call_leaves_its_arguments_as_they_are", "changed the arguments"),
        (OneAtATime, "test_calls_side_by_side_all_succeed", "side by side failed"),
        (Hangs, "test_closing_without_starting_is_fine", "not finished after 3 s"),
        (LeavesATask, "test_starting_returns_soon", "cancel and await it"),
        (LeavesAThread, "test_closing_leaves_no_thread_that_keeps_the_process", "join them"),
        (Shared, "test_two_instances_list_the_same", "share no state"),
        (Plain, "test_a_call_succeeds", "write `async def list_tools`"),
        (Anonymous, "test_nothing_changes_by_itself", "it lacks origin; see ToolSource"),
        (Misspelt, "test_every_schema_can_be_checked_against", "'strng' is not valid under any"),
        (
            ChokesTwice,
            "test_hostile_texts_raise_nothing_but_errors_of_ours",
            r"(?s)2 of 14 texts: .*KeyError: 'zero'; .*UnicodeEncodeError.*Raise ToolError",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_wrong_source_is_told_what_to_do(tmp_path, source, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(suite_of(source)(), case)(tmp_path)
    for release in LeavesAThread.releases:
        release.set()
