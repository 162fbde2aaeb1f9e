"""Indexes, modes, surfaces and runners that are wrong in one way."""

import re
from types import SimpleNamespace

import pytest

from toolsearch.testing import (
    CodeRunnerConformance,
    ModeRendererConformance,
    SearchIndexConformance,
    SurfaceConformance,
)
from toolsearch_hookspecs import (
    Attestation,
    CodeOutcome,
    Hit,
    ModelCall,
    ModelSurface,
    RenderedSurface,
    SurfaceLimits,
    ToolDefinition,
    ToolResult,
    hookimpl,
)

WORD = re.compile(r"[^\W_]+")
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Index:
    """Counts words, and nothing is wrong with it."""

    name = "words"

    def __init__(self):
        self.tools = {}

    async def update(self, added, removed):
        self.tools = {k: t for k, t in self.tools.items() if k not in removed}
        self.tools |= {tool.key: self.words(f"{tool.name} {tool.description}") for tool in added}

    async def search(self, query, *, limit, allowed):
        asked, needed = self.words(query.text), self.words(" ".join(query.required))
        if not asked or (query.required and not needed):
            return []
        hits = [
            Hit(
                key=key, score=float(len(asked & words)), confidence=len(asked & words) / len(asked)
            )
            for key, words in self.tools.items()
            if key in allowed.keys and asked & words and needed <= words
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]

    def words(self, text):
        return {word.lower() for word in WORD.findall(CAPITAL.sub(" ", text))} | {text.lower()}

    async def aclose(self):
        pass


class Words(Index):
    def words(self, text):
        found = {word.lower() for word in WORD.findall(CAPITAL.sub(" ", text[:2000]))}
        return found - {"a"}


class Unmasked(Words):
    async def search(self, query, *, limit, allowed):
        return await super().search(query, limit=limit, allowed=SimpleNamespace(keys=self.tools))


class MasksLast(Words):
    async def search(self, query, *, limit, allowed):
        everything = SimpleNamespace(keys=self.tools)
        hits = await super().search(query, limit=limit, allowed=everything)
        return [hit for hit in hits if hit.key in allowed.keys]


class Slices(Words):
    async def search(self, query, *, limit, allowed):
        hits = await super().search(query, limit=limit, allowed=allowed)
        return hits or [Hit(key=key, score=0, confidence=0) for key in sorted(allowed.keys)[:limit]]


class WorstFirst(Words):
    async def search(self, query, *, limit, allowed):
        hits = await super().search(query, limit=50, allowed=allowed)
        return hits[::-1][:limit]


class Forgetful(Words):
    async def update(self, added, removed):
        await super().update(added, frozenset())


class Parses(Words):
    async def search(self, query, *, limit, allowed):
        re.compile(query.text)
        return await super().search(query, limit=limit, allowed=allowed)


class Overconfident(Words):
    async def search(self, query, *, limit, allowed):
        hits = await super().search(query, limit=limit, allowed=allowed)
        return [hit.model_copy(update={"confidence": 1.5}) for hit in hits]


class SharesTools(Words):
    everything: dict[str, set[str]] = {}  # noqa: RUF012

    def __init__(self):
        self.tools = self.everything

    async def update(self, added, removed):
        for tool in added:
            self.everything[tool.key] = self.words(f"{tool.name} {tool.description}")


class Optional(Words):
    async def search(self, query, *, limit, allowed):
        plain = query.model_copy(update={"required": ()})
        return await super().search(plain, limit=limit, allowed=allowed)


def index_suite(index):
    class Suite(SearchIndexConformance):
        async def subject(self, folder):
            return index()

    return Suite


def test_a_right_index_passes_every_case(faults):
    assert faults(index_suite(Words)) == {}


@pytest.mark.parametrize(
    ("index", "case", "said"),
    [
        (Unmasked, "test_only_allowed_tools_are_found", "mask every search"),
        (MasksLast, "test_the_mask_does_not_cost_hits", "mask before you cut"),
        (Slices, "test_no_match_gives_none", "give none, not a slice"),
        (WorstFirst, "test_hits_come_best_first_and_equal_ones_by_key", "sort hits|of 4 tools"),
        (Forgetful, "test_a_removed_tool_is_not_found", "after it was removed"),
        (Parses, "test_no_text_of_a_query_raises", "a model may write anything"),
        (Overconfident, "test_hits_are_hits", r"outside 0\.\.1"),
        (SharesTools, "test_two_instances_share_nothing", "finds another's tools"),
        (Optional, "test_required_words_are_in_every_hit", "not delete_file alone"),
    ],
)
def test_a_wrong_index_is_told_what_to_do(tmp_path, index, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(index_suite(index)(), case)(tmp_path)


class Mode:
    name = "mode-one"
    mode = "one"
    controls = ("find_and_call",)
    needs_runner = False

    def render(self, catalog):
        schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        tool = ToolDefinition(name="find_and_call", description="Find.", input_schema=schema)
        return ModelSurface(tools=(tool,), prompt=self.prompt(catalog))

    def prompt(self, catalog):
        return None

    async def handle(self, run, name, arguments, call_id):
        return await run.control("tool_search", arguments, call_id=call_id)


class ShowsAll(Mode):
    def prompt(self, catalog):
        return "\n".join(f"- {tool.name}: {tool.description}" for tool in catalog.tools)


class RunInPrompt(Mode):
    def prompt(self, catalog):
        return f"This is run {catalog.context.run_id}."


class HidesItsControl(Mode):
    controls = ("find_and_call", "more")


class Trusting(Mode):
    async def handle(self, run, name, arguments, call_id):
        return ToolResult(value=arguments["query"])


def mode_suite(mode):
    class Suite(ModeRendererConformance):
        class plugin:  # noqa: N801
            @hookimpl
            def toolsearch_mode_renderers(self, plugin):
                return [mode()]

    return Suite


def test_a_right_mode_passes_every_case(faults):
    assert faults(mode_suite(Mode)) == {}


@pytest.mark.parametrize(
    ("mode", "case", "said"),
    [
        (ShowsAll, "test_the_prompt_is_bounded", "18000"),
        (ShowsAll, "test_a_small_context_gets_a_small_prompt", "20000"),
        (ShowsAll, "test_texts_of_strangers_are_not_shown", "show its name at most"),
        (ShowsAll, "test_no_text_breaks_out_of_its_line", "one_line"),
        (RunInPrompt, "test_who_asks_is_not_part_of_the_surface", "prompt cache"),
        (HidesItsControl, "test_it_shows_every_control_that_it_names", "does not show"),
        (Trusting, "test_nonsense_from_a_model_is_answered_with_errors", "an error result"),
    ],
)
def test_a_wrong_mode_is_told_what_to_do(tmp_path, mode, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(mode_suite(mode)(), case)(tmp_path)


class Plain:
    """A surface of a provider that does not exist; nothing is wrong with it."""

    name = provider = "plain"
    limits = SurfaceLimits()

    def render(self, surface):
        tools = [
            {"name": t.name, "about": t.description, "input": dict(t.input_schema)}
            for t in surface.tools
        ]
        return RenderedSurface(tools=tools, prompt=surface.prompt)

    def joined(self, chunks):
        return {"calls": [call for chunk in chunks for call in chunk["calls"]]}

    def calls(self, message, rendered):
        if not isinstance(message, dict) or "calls" not in message:
            raise ValueError("this is no message")
        return [ModelCall(**call) for call in message["calls"]]

    def history(self, message):
        return [message]

    def results(self, results, rendered):
        return [{"call": call.id, "text": result.text} for call, result in results]


class DropsThePrompt(Plain):
    def render(self, surface):
        return super().render(surface).model_copy(update={"prompt": None})


class HidesFailures(Plain):
    def results(self, results, rendered):
        return [{"call": call.id, "text": result.value} for call, result in results]


class Backward(Plain):
    def calls(self, message, rendered):
        return list(reversed(super().calls(message, rendered)))


class AcceptsAnything(Plain):
    def calls(self, message, rendered):
        return [ModelCall(**call) for call in message["calls"]]


class Half(Plain):
    joined = None


class NoLimits(Plain):
    limits = {"tools": 3}  # noqa: RUF012


class Shuffles(Plain):
    def render(self, surface):
        return super().render(surface.model_copy(update={"tools": surface.tools[::-1]}))


class DropsTexts(Plain):
    def render(self, surface):
        bare = tuple(tool.model_copy(update={"description": ""}) for tool in surface.tools)
        return super().render(surface.model_copy(update={"tools": bare}))


class Counts(Plain):
    drawn = 0

    def render(self, surface):
        rendered = super().render(surface)
        Counts.drawn += 1
        return rendered.model_copy(update={"tools": [*rendered.tools, Counts.drawn]})


class EditsSchemas(Plain):
    def render(self, surface):
        for tool in surface.tools:
            tool.input_schema["additionalProperties"] = False
        return super().render(surface)


class ForgetsCalls(Plain):
    def history(self, message):
        return [{"text": "..."}]


class FirstChunk(Plain):
    def joined(self, chunks):
        return chunks[0]


class Anonymous(Plain):
    def results(self, results, rendered):
        return [{"text": result.text} for call, result in results]


class LosesNotes(Plain):
    def results(self, results, rendered):
        return [{"call": call.id, "text": result.error or result.value} for call, result in results]


def surface_suite(surface):
    class Suite(SurfaceConformance):
        async def subject(self, folder):
            return surface()

        def message(self, calls):
            return {"calls": [call.model_dump() for call in calls]}

        def chunks(self, calls):
            return [self.message([call]) for call in calls]

    return Suite


def test_a_right_surface_passes_every_case(faults):
    assert faults(surface_suite(Plain)) == {}


@pytest.mark.parametrize(
    ("surface", "case", "said"),
    [
        (Half, "test_it_has_every_member_of_a_surface", "see Surface in toolsearch_hookspecs"),
        (NoLimits, "test_its_limits_are_limits", "give `limits = SurfaceLimits"),
        (Shuffles, "test_tools_keep_their_order", "a cache would miss"),
        (DropsTexts, "test_every_tool_is_drawn_with_name_text_and_schema", "draw the description"),
        (Counts, "test_the_same_surface_gives_the_same_bytes", "a prompt cache would miss"),
        (Counts, "test_two_instances_draw_the_same", "go by the definitions alone"),
        (EditsSchemas, "test_rendering_leaves_the_definitions_as_they_are", "copy them"),
        (ForgetsCalls, "test_a_message_can_be_sent_back", "results refer to them"),
        (FirstChunk, "test_a_stream_is_joined_into_the_message", "the calls of a stream"),
        (Anonymous, "test_results_go_to_their_calls", "let a result name its call"),
        (LosesNotes, "test_a_note_is_told", "`result.text` has it"),
        (DropsThePrompt, "test_the_prompt_is_passed_on", "the prompt is lost"),
        (HidesFailures, "test_results_are_plain_json_with_their_values", "failure is not told"),
        (Backward, "test_the_names_and_order_of_calls_are_kept", "changed their order"),
        (AcceptsAnything, "test_what_is_no_message_is_a_value_error", "raise ValueError"),
    ],
)
def test_a_wrong_surface_is_told_what_to_do(tmp_path, surface, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(surface_suite(surface)(), case)(tmp_path)


class Boasts:
    """A runner that attests everything and runs nothing."""

    name = "boasts"

    async def probe(self):
        return Attestation(available=True, isolated=True, runtime="none")

    async def run(self, code, bridge, limits):
        return CodeOutcome(outcome="ok", value=1)

    async def aclose(self):
        pass


def test_a_runner_that_runs_nothing_fails_most_cases(faults):
    class Suite(CodeRunnerConformance):
        patience = 1.0

        async def subject(self, folder):
            return Boasts()

    found = faults(Suite)
    assert not [said for said in found.values() if said.startswith(("TypeError", "AttributeError"))]
    for case, said in (
        ("test_logs_keep_level_and_order", "keep what console.log, warn and error are given"),
        ("test_a_syntax_error_says_its_line", "what cannot be parsed ends as `syntax`"),
        ("test_the_bridge_is_there", "give a body `openclaw.tools`"),
        ("test_calls_that_are_not_awaited_are_finished_first", "start a call when it is made"),
        ("test_too_many_calls_have_an_outcome_of_their_own", "`max_bridge_calls` is 20"),
        ("test_a_script_that_is_too_large_is_refused", "over `max_script_bytes`"),
    ):
        assert said in found[case], found[case]
    assert "the network is unknown" in found["test_it_attests_isolation_network_included"]
    assert "not timeout" in found["test_a_body_that_never_ends_is_killed"]
    assert len(found) > 20
