"""What the host and every author may expect of a search index."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from toolsearch_hookspecs import Hit, SearchIndex, SearchQuery

from ._case import Conformance, all_survived, cancelled, case, expect, outcome_of, scene, told
from ._index_questions import expect_first, filled, found_by, keys_of, named, search
from ._samples import HOSTILE_TEXTS, make_tool, sample_tools

MANY = 2_000


class SearchIndexConformance(Conformance):
    """`class TestMine(SearchIndexConformance): plugin = mine.plugin`

    The words of the cases are plain English ones that stand in a tool's name or description.
    """

    async def subject(self, folder: Path) -> SearchIndex:
        index: SearchIndex = self.yielded("toolsearch_search_indexes", folder)
        return index

    @case
    async def test_it_has_every_member_of_a_search_index(self, index: SearchIndex) -> None:
        missing = [n for n in ("name", "update", "search", "aclose") if not hasattr(index, n)]
        expect(not missing, f"the index lacks {missing}; see SearchIndex in toolsearch_hookspecs")
        expect(isinstance(index.name, str) and index.name, "`name` is empty")

    @case
    async def test_an_empty_index_finds_nothing(self, index: SearchIndex) -> None:
        expect(not await found_by(index, "file", ()), "an index without tools found some")

    @case
    async def test_a_tool_is_found_by_a_word_of_its_description(self, index: SearchIndex) -> None:
        await filled(index)
        await expect_first(index, "temperature", "forecast")

    @case
    async def test_a_tool_is_found_by_a_word_of_its_name(self, index: SearchIndex) -> None:
        await filled(index)
        await expect_first(index, "forecast", "forecast")

    @case
    async def test_words_within_snake_case_names_are_found(self, index: SearchIndex) -> None:
        await index.update([make_tool("rotate_certificate", "")], frozenset())
        hits = await found_by(index, "certificate", [make_tool("rotate_certificate", "")])
        expect(hits, "'certificate' does not find rotate_certificate; split names at '_'")

    @case
    async def test_words_within_camel_case_names_are_found(self, index: SearchIndex) -> None:
        tools = [make_tool("rotateCertificate", "")]
        await index.update(tools, frozenset())
        expect(
            await found_by(index, "certificate", tools),
            "'certificate' does not find rotateCertificate; split names at capitals",
        )

    @case
    async def test_case_does_not_matter(self, index: SearchIndex) -> None:
        await filled(index)
        lower, upper = [await found_by(index, text) for text in ("temperature", "TEMPERATURE")]
        expect(keys_of(lower) == keys_of(upper), "upper case finds other tools than lower case")

    @case
    async def test_more_matching_words_rank_higher(self, index: SearchIndex) -> None:
        await filled(index)
        await expect_first(index, "delete a file", "delete_file")

    @case
    async def test_no_match_gives_none(self, index: SearchIndex) -> None:
        await filled(index)
        hits = await found_by(index, "zzqxv kwyjibo")
        expect(not hits, "words that no tool has found something; give none, not a slice")

    @case
    async def test_a_query_without_terms_gives_none(self, index: SearchIndex) -> None:
        await filled(index)
        for text in ("", "   ", "\n\t", "?!,.", "\u200b"):
            expect(
                not await found_by(index, text), f"the query {text!r} found something; give none"
            )

    @case
    async def test_the_limit_holds(self, index: SearchIndex) -> None:
        await filled(index)
        for limit in (1, 2, 3):
            hits = await found_by(index, "file message appointment bug", limit=limit)
            expect(len(hits) <= limit, f"{len(hits)} hits for a limit of {limit}")

    @case
    async def test_a_smaller_limit_gives_the_first_of_the_larger(self, index: SearchIndex) -> None:
        await filled(index)
        query = "file message appointment bug"
        all_of_them = keys_of(await found_by(index, query, limit=10))
        first = keys_of(await found_by(index, query, limit=2))
        expect(first == all_of_them[:2], "the limit changes which hits come first")

    @case
    async def test_hits_are_hits(self, index: SearchIndex) -> None:
        await filled(index)
        hits = await found_by(index, "file")
        expect(hits and all(isinstance(hit, Hit) for hit in hits), "give Hit records")
        wrong = [hit.confidence for hit in hits if not 0 <= hit.confidence <= 1]
        expect(not wrong, f"confidences {wrong} are outside 0..1")

    @case
    async def test_hits_come_best_first_and_equal_ones_by_key(self, index: SearchIndex) -> None:
        twins = [make_tool(f"twin_{letter}", "Polish the brass.") for letter in "dbac"]
        await index.update(twins, frozenset())
        hits = await found_by(index, "polish brass", twins)
        expect(len(hits) == len(twins), f"{len(hits)} of 4 tools with equal texts were found")
        wanted = sorted(hits, key=lambda hit: (-hit.score, hit.key))
        expect(keys_of(hits) == keys_of(wanted), "sort hits by score, then by key")

    @case
    async def test_no_key_comes_twice(self, index: SearchIndex) -> None:
        await filled(index)
        keys = keys_of(await found_by(index, "file file read read_file"))
        expect(len(keys) == len(set(keys)), "a key stands in the hits more than once")

    @case
    async def test_only_allowed_tools_are_found(self, index: SearchIndex) -> None:
        tools = await filled(index)
        for tool in tools:
            others = [each for each in tools if each is not tool]
            for word in ("file", "message", "appointment", "bug", "temperature"):
                keys = keys_of(await found_by(index, word, others, limit=50))
                expect(
                    tool.key not in keys,
                    f"{tool.id} was found although it is not allowed; mask every search by "
                    "`allowed.keys`",
                )

    @case
    async def test_nothing_is_found_where_nothing_is_allowed(self, index: SearchIndex) -> None:
        await filled(index)
        expect(not await found_by(index, "file", ()), "an empty mask found something")

    @case
    async def test_masks_that_alternate_do_not_mix(self, index: SearchIndex) -> None:
        tools = await filled(index)
        halves = tools[:5], tools[5:]
        for half in (*halves, *halves):
            keys = set(
                keys_of(await found_by(index, "file message appointment bug", half, limit=50))
            )
            expect(
                keys <= {tool.key for tool in half},
                "a search gave tools of another run's mask; keep what you cache by "
                "`allowed.fingerprint`",
            )

    @case
    async def test_the_mask_does_not_cost_hits(self, index: SearchIndex) -> None:
        tools = [make_tool(f"polish_{n}", "Polish the brass.") for n in range(60)]
        await index.update(tools, frozenset())
        last = sorted(tools, key=lambda tool: tool.key)[-1:]
        expect(
            keys_of(await found_by(index, "polish brass", last, limit=1)) == [last[0].key],
            "an allowed tool was lost behind tools that are not; mask before you cut to the limit",
        )

    @case
    async def test_allowed_keys_it_never_saw_do_no_harm(self, index: SearchIndex) -> None:
        tools = await filled(index)
        await expect_first(index, "forecast", "forecast", [*tools, make_tool("never_seen")])

    @case
    async def test_required_words_are_in_every_hit(self, index: SearchIndex) -> None:
        await filled(index)
        hits = await found_by(index, "file", required=("delete",))
        names = [named(hit) for hit in hits]
        expect(names == ["delete_file"], f"'+delete file' found {names}, not delete_file alone")

    @case
    async def test_a_required_word_that_no_tool_has_gives_none(self, index: SearchIndex) -> None:
        await filled(index)
        expect(
            not await found_by(index, "file", required=("kwyjibo",)), "a required word was ignored"
        )

    @case
    async def test_a_removed_tool_is_not_found(self, index: SearchIndex) -> None:
        tools = await filled(index)
        gone = next(tool for tool in tools if tool.name == "forecast")
        await index.update([], frozenset({gone.key}))
        keys = keys_of(await found_by(index, "forecast temperature", tools))
        expect(gone.key not in keys, "a tool was found after it was removed")

    @case
    async def test_a_removed_tool_can_come_back(self, index: SearchIndex) -> None:
        tools = await filled(index)
        gone = next(tool for tool in tools if tool.name == "forecast")
        await index.update([], frozenset({gone.key}))
        await index.update([gone], frozenset())
        await expect_first(index, "temperature", "forecast")

    @case
    async def test_removing_unknown_keys_is_ignored(self, index: SearchIndex) -> None:
        await filled(index)
        await index.update([], frozenset({"plugin:nobody:nothing@0"}))
        await expect_first(index, "temperature", "forecast")

    @case
    async def test_a_changed_tool_replaces_the_old_one(self, index: SearchIndex) -> None:
        old, new = make_tool("probe", "Polish the brass."), make_tool("probe", "Wash the linen.")
        await index.update([old], frozenset())
        await index.update([new], frozenset({old.key}))
        expect(not await found_by(index, "brass", [new]), "the old text of a tool is still found")
        expect(
            keys_of(await found_by(index, "linen", [new])) == [new.key], "its new text is not found"
        )

    @case
    async def test_an_empty_update_is_fine(self, index: SearchIndex) -> None:
        await index.update([], frozenset())

    @case
    async def test_the_same_query_gives_the_same_hits(self, index: SearchIndex) -> None:
        await filled(index)
        first, second = [await found_by(index, "create appointment file") for _ in range(2)]
        expect(list(first) == list(second), "two equal searches gave different hits")

    @scene
    async def test_the_order_of_arrival_does_not_matter(self, folder: Path) -> None:
        answers = set()
        for seed in range(3):
            index = await self.subject(folder)
            tools = list(sample_tools())
            random.Random(seed).shuffle(tools)  # noqa: S311  no secret
            for tool in tools:
                await index.update([tool], frozenset())
            answers.add(tuple(keys_of(await found_by(index, "create file message", limit=20))))
            await self.close(index)
        expect(len(answers) == 1, "hits depend on the order in which tools were added")

    @case
    async def test_no_text_of_a_query_raises(self, index: SearchIndex) -> None:
        await filled(index)
        queries = [SearchQuery(text=text) for text in HOSTILE_TEXTS]
        queries += [SearchQuery(text="file", required=(text,)) for text in HOSTILE_TEXTS]
        failures = {
            " ".join((query.text, *query.required)): (await outcome_of(search(index, query)))[1]
            for query in queries
        }
        all_survived(failures, "In a query a model may write anything")

    @case
    async def test_no_text_of_a_tool_raises(self, index: SearchIndex) -> None:
        tools = [
            make_tool(f"odd_{number}", text, owner_description=text, label=text, aliases=(text,))
            for number, text in enumerate(HOSTILE_TEXTS)
        ]
        _, failure = await outcome_of(index.update(tools, frozenset()))
        expect(failure is None, f"adding tools with hostile texts raised {told(failure)}")

    @case
    async def test_other_scripts_are_found(self, index: SearchIndex) -> None:
        words = ("прогноз", "πρόγνωση", "天気予報", "날씨")
        tools = [make_tool(f"tool_{n}", word) for n, word in enumerate(words)]
        await index.update(tools, frozenset())
        for tool in tools:
            keys = keys_of(await found_by(index, tool.description, tools))
            expect(keys[:1] == [tool.key], f"{tool.description!r} does not find its own tool")

    @case
    async def test_searches_side_by_side_agree(self, index: SearchIndex) -> None:
        await filled(index)
        answers = await asyncio.gather(*(found_by(index, "delete file") for _ in range(20)))
        expect(len({tuple(keys_of(hits)) for hits in answers}) == 1, "searches side by side differ")

    @case
    async def test_searches_during_updates_see_before_or_after(self, index: SearchIndex) -> None:
        tools = await filled(index)
        more = [make_tool(f"polish_{number}", "Polish the brass.") for number in range(50)]
        update = asyncio.ensure_future(index.update(more, frozenset()))
        while not update.done():
            found = len(await found_by(index, "polish brass", [*tools, *more], limit=50))
            expect(found in {0, 50}, f"a search saw {found} of 50 tools that were being added")
            await asyncio.sleep(0)
        await update
        found = len(await found_by(index, "polish brass", [*tools, *more], limit=50))
        expect(found == 50, f"{found} of 50 added tools are found after the update")

    @case
    async def test_updates_side_by_side_all_count(self, index: SearchIndex) -> None:
        tools = [make_tool(f"polish_{number}", "Polish the brass.") for number in range(20)]
        await asyncio.gather(*(index.update([tool], frozenset()) for tool in tools))
        found = len(await found_by(index, "polish brass", tools, limit=50))
        expect(found == 20, f"{found} of 20 tools survived updates side by side")

    @case
    async def test_a_cancelled_search_leaves_it_usable(self, index: SearchIndex) -> None:
        await filled(index)
        await cancelled(found_by(index, "file"), turns=1)
        await expect_first(index, "temperature", "forecast")

    @case
    async def test_thousands_of_tools_fit(self, index: SearchIndex) -> None:
        tools = [make_tool(f"part_{number}", f"Order part {number}.") for number in range(MANY)]
        await index.update(tools, frozenset())
        keys = keys_of(await found_by(index, "part_1234", tools, limit=3))
        wanted = next(tool.key for tool in tools if tool.name == "part_1234")
        expect(wanted in keys, f"the name of one of {MANY} tools does not find it")

    @case
    async def test_closing_an_index_that_was_never_used_is_fine(self, index: SearchIndex) -> None:
        await self.close(index)

    @scene
    async def test_two_instances_share_nothing(self, folder: Path) -> None:
        first, second = await self.subject(folder), await self.subject(folder)
        tools = await filled(first)
        expect(not await found_by(second, "file", tools), "one instance finds another's tools")
        await self.close(second)
        await expect_first(first, "temperature", "forecast")
        await self.close(first)
