"""What is particular to this index: the file it may keep, and SQLite's own syntax."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolsearch_hookspecs import Allowed, SearchQuery, Tool
from toolsearch_index_fts5 import Fts5Settings
from toolsearch_index_fts5._index import FILE, Fts5Index


def make_tool(name: str, description: str = "") -> Tool:
    digest = hashlib.sha256(f"{name} {description}".encode()).hexdigest()[:16]
    return Tool(
        id=f"plugin:core:{name}",
        source="plugin",
        owner="core",
        name=name,
        description=description,
        digest=digest,
        plugin="test",
        origin="test",
    )


CLOCK = make_tool("clock", "Tell the time of day")
MAIL = make_tool("send_mail", "Send a letter to a person")


async def names(index: Fts5Index, text: str, tools: Sequence[Tool], **asked) -> list[str]:
    keys = {tool.key: tool.name for tool in tools}
    allowed = Allowed(fingerprint=" ".join(sorted(keys)), keys=frozenset(keys))
    query = SearchQuery(text=text, **asked)
    return [keys[hit.key] for hit in await index.search(query, limit=8, allowed=allowed)]


@pytest.fixture
def on_disk(tmp_path):
    return lambda **settings: Fts5Index(Fts5Settings(on_disk=True, **settings), tmp_path)


async def test_an_index_on_disk_is_there_at_the_next_start(on_disk):
    first = on_disk()
    await first.update([CLOCK, MAIL], frozenset())
    await first.aclose()
    second = on_disk()
    assert await names(second, "time of day", [CLOCK, MAIL]) == ["clock"]
    await second.update([CLOCK, MAIL], frozenset())
    assert await names(second, "letter", [CLOCK, MAIL]) == ["send_mail"]


async def test_two_processes_may_share_the_file_and_remove_for_themselves_only(on_disk):
    one, other = on_disk(), on_disk()
    await one.update([CLOCK, MAIL], frozenset())
    await other.update([CLOCK], frozenset())
    await one.update([], frozenset([CLOCK.key]))
    assert await names(one, "time", [CLOCK, MAIL]) == []
    assert await names(other, "time", [CLOCK, MAIL]) == ["clock"]
    await one.update([CLOCK], frozenset())
    assert await names(one, "time", [CLOCK, MAIL]) == ["clock"]


@pytest.mark.parametrize("bytes_", [b"not a database at all" * 99, b"SQLite format 3\0torn" * 40])
async def test_a_file_that_cannot_be_read_is_built_anew(on_disk, tmp_path, bytes_):
    (tmp_path / FILE).write_bytes(bytes_)
    index = on_disk()
    await index.update([CLOCK], frozenset())
    assert await names(index, "time", [CLOCK]) == ["clock"]


async def test_the_file_is_readable_by_its_owner_only(on_disk, tmp_path):
    await on_disk().update([CLOCK], frozenset())
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


async def test_what_no_process_adds_any_more_is_forgotten(on_disk, monkeypatch):
    from toolsearch_index_fts5 import _database

    first = on_disk()
    await first.update([CLOCK, MAIL], frozenset())
    await first.aclose()
    later = _database.time.time() + 31 * _database.DAY
    monkeypatch.setattr(_database.time, "time", lambda: later)
    second = on_disk()
    assert await names(second, "time", [CLOCK]) == []


async def test_nothing_of_a_query_is_syntax(tmp_path: Path):
    index = Fts5Index(Fts5Settings(), tmp_path)
    await index.update([CLOCK, MAIL], frozenset())
    for text in [
        '"',
        "name:time",
        "NEAR(time day)",
        "time*",
        "^time",
        "a AND OR NOT",
        "-time",
        "{}",
    ]:
        await names(index, text, [CLOCK])
        await names(index, "time", [CLOCK], required=(text,))
    assert await names(index, 'time" OR "letter', [CLOCK, MAIL]) != []


async def test_a_query_that_little_of_is_known_is_not_answered(tmp_path: Path):
    index = Fts5Index(Fts5Settings(), tmp_path)
    await index.update([CLOCK, MAIL], frozenset())
    assert (
        await names(
            index, "person zebra walrus giraffe lion tiger bear fox owl cat dog cow", [MAIL]
        )
        == []
    )
    assert await names(index, "mail a person", [MAIL]) == ["send_mail"]
