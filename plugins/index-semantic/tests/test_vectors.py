"""The store of vectors, with a small encoder of the tests' own."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from toolsearch_index_semantic._vectors import VectorStore  # noqa: E402


class Letters:
    """A vector that depends on the text alone, of which the first half tells most."""

    noise, alike, weight, quick = 0.1, 0.4, 0.5, True

    def __init__(self, leading: int | None = None) -> None:
        self.leading = leading

    def tools(self, texts: list[str]) -> Any:
        return np.array([self.request(text) for text in texts], np.float32)

    def request(self, text: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).standard_normal(32).astype(np.float32)
        vector[16:] /= 4
        return vector / np.linalg.norm(vector)


@pytest.fixture
def store() -> VectorStore:
    return VectorStore(Letters())


def test_the_likest_are_exactly_those_of_a_plain_comparison(make_tool, allow):
    tools = [make_tool(f"tool_{number}") for number in range(500)]
    whole, part = VectorStore(Letters()), VectorStore(Letters(leading=16))
    for each in (whole, part):
        each.change(tools, frozenset())
    asked = allow(tools[::2])
    found = whole.likest("anything", asked, 5)
    plain = whole.likest("anything", asked, len(tools))
    assert found == dict(sorted(plain.items(), key=lambda entry: -entry[1])[:5]) | found
    assert set(found) == set(part.likest("anything", asked, 5))


def test_a_tool_that_changed_is_compared_as_it_is_now(store, make_tool, allow):
    old, new = make_tool("note", "of old"), make_tool("note", "of late")
    store.change([old], frozenset())
    before = store.likest("x", allow([old]), 1)
    store.change([new], frozenset([old.key]))
    assert store.likest("x", allow([old, new]), 9).keys() == {new.key}
    store.change([old], frozenset([new.key]))
    assert store.likest("x", allow([old]), 1) == before


def test_a_tool_that_is_given_again_is_there_once(store, make_tool, allow):
    tools = [make_tool("one"), make_tool("two")]
    store.change(tools, frozenset())
    store.change(tools, frozenset())
    assert len(store.likest("x", allow(tools), 9)) == 2


def test_what_was_removed_is_gone_and_its_room_is_used_again(store, make_tool, allow):
    tools = [make_tool(f"tool_{number}") for number in range(20)]
    store.change(tools, frozenset())
    for round_ in range(200):
        store.change(tools[:10], frozenset(tool.key for tool in tools[:10]))
        assert len(store.likest(f"{round_}", allow(tools), 99)) == 20
    assert len(store._table.matrix) < 200
    store.change([], frozenset(tool.key for tool in tools))
    assert store.likest("x", allow(tools), 9) == {}


def test_a_search_that_began_before_a_change_sees_the_tools_before(store, make_tool, allow):
    tools = [make_tool(f"tool_{number}") for number in range(30)]
    store.change(tools[:10], frozenset())
    before, answer = store._table, store.likest("x", allow(tools), 99)
    store.change(tools[10:], frozenset([tools[0].key]))
    store._table = before
    assert store.likest("x", allow(tools), 99) == answer


def test_nothing_is_like_anything_in_an_empty_store(store, make_tool, allow):
    assert store.likest("x", allow([make_tool("one")]), 3) == {}
