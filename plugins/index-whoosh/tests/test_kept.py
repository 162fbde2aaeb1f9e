"""An index that is kept on disk comes back at the next start with the same tools."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from toolsearch_hookspecs import Allowed, SearchQuery
from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._document import Documents
from toolsearch_index_whoosh._index import WhooshIndex
from toolsearch_index_whoosh._kept import FORM, MOST_FILES, Kept
from toolsearch_index_whoosh._languages import Languages


@pytest.fixture
def tools(tool):
    return [tool(f"handle_{n}", f"Handles case {n} of kind {n % 5}") for n in range(50)]


def index(folder) -> WhooshIndex:
    return WhooshIndex(IndexSettings(keep_on_disk=True), folder)


async def found(index, tools, text="case 7"):
    allowed = Allowed(fingerprint=str(len(tools)), keys=frozenset(tool.key for tool in tools))
    return await index.search(SearchQuery(text=text), limit=8, allowed=allowed)


async def test_the_next_start_reads_the_index_back_and_ranks_the_same(tmp_path, tools, monkeypatch):
    first = index(tmp_path)
    await first.update(tools, frozenset())
    expected = await found(first, tools)
    second = index(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("toolsearch_index_whoosh._document.Documents.document", None)
        await second.update(list(reversed(tools)), frozenset())
    assert await found(second, tools) == expected


async def test_an_index_that_was_read_back_takes_changes(tmp_path, tools, tool):
    await index(tmp_path).update(tools, frozenset())
    again = index(tmp_path)
    await again.update(tools, frozenset())
    new = tool("zebra", "Counts zebras")
    await again.update([new], frozenset([tools[7].key]))
    left = [one for one in tools if one is not tools[7]]
    assert (await found(again, [*left, new], "zebras"))[0].key == new.key
    assert tools[7].key not in [hit.key for hit in await found(again, [*tools, new])]


async def test_other_tools_or_settings_do_not_take_it(tmp_path, tools):
    await index(tmp_path).update(tools, frozenset())
    fewer = index(tmp_path)
    await fewer.update(tools[:10], frozenset())
    assert await found(fewer, tools[10:]) == []
    other = WhooshIndex(IndexSettings(keep_on_disk=True, languages=("de",)), tmp_path)
    await other.update(tools, frozenset())
    assert len(list(tmp_path.glob("*.whoosh"))) == 3


@pytest.mark.parametrize("keep", [0, 10, 2_000])
async def test_a_torn_file_is_built_anew(tmp_path, tools, keep):
    first = index(tmp_path)
    await first.update(tools, frozenset())
    expected = await found(first, tools)
    (path,) = tmp_path.glob("*.whoosh")
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    again = index(tmp_path)
    await again.update(tools, frozenset())
    assert await found(again, tools) == expected
    assert path.stat().st_size == len(whole)


async def test_a_file_of_something_else_is_built_anew(tmp_path, tools):
    first = index(tmp_path)
    await first.update(tools, frozenset())
    (path,) = tmp_path.glob("*.whoosh")
    Kept(tmp_path).save(path.stem, {"_MAIN_1.toc": b"nonsense"})
    again = index(tmp_path)
    await again.update(tools, frozenset())
    assert await found(again, tools) == await found(first, tools)


async def test_only_the_latest_files_stay_readable_by_their_owner(tmp_path, tools):
    for count in range(1, MOST_FILES + 3):
        await index(tmp_path).update(tools[:count], frozenset())
    files = list(tmp_path.glob("*.whoosh"))
    assert len(files) == MOST_FILES
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


async def test_nothing_is_written_unless_asked(tmp_path, tools):
    await WhooshIndex(IndexSettings(), tmp_path).update(tools, frozenset())
    assert list(tmp_path.iterdir()) == []


async def test_what_a_killed_process_left_half_written_is_dropped_in_time(tmp_path, tools):
    fresh, old = tmp_path / "a.part", tmp_path / "b.part"
    for path in (fresh, old):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    await index(tmp_path).update(tools, frozenset())
    assert fresh.exists()
    assert not old.exists()


async def test_a_disk_that_is_full_costs_only_the_keeping(tmp_path, tools, monkeypatch, caplog):
    def full(*_args, **_more):
        raise OSError("no space left on device")

    monkeypatch.setattr("toolsearch_index_whoosh._kept.zipfile.ZipFile.writestr", full)
    first = index(tmp_path)
    await first.update(tools, frozenset())
    assert list(tmp_path.iterdir()) == []
    assert "not kept on disk" in caplog.text
    assert await found(first, tools) != []


async def test_another_version_of_the_packages_reads_the_tools_anew(tmp_path, tools, monkeypatch):
    await index(tmp_path).update(tools, frozenset())
    monkeypatch.setattr("toolsearch_index_whoosh._kept.version", lambda package: "99")
    await index(tmp_path).update(tools, frozenset())
    assert len(list(tmp_path.glob("*.whoosh"))) == 2


def test_processes_that_start_side_by_side_share_one_file_and_agree(tmp_path):
    code = """
import asyncio, sys
from pathlib import Path
from toolsearch_hookspecs import Allowed, SearchQuery, Tool
from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._index import WhooshIndex

async def main():
    tools = [
        Tool(id=f"plugin:core:t{n}", source="plugin", owner="core", name=f"t{n}", digest=f"{n}",
             description=f"Handles case {n} of kind {n % 5}", plugin="test", origin="test")
        for n in range(300)
    ]
    index = WhooshIndex(IndexSettings(keep_on_disk=True), Path(sys.argv[1]))
    await index.update(tools, frozenset())
    allowed = Allowed(fingerprint="all", keys=frozenset(tool.key for tool in tools))
    hits = await index.search(SearchQuery(text="case 7 of kind 2"), limit=5, allowed=allowed)
    print([(hit.key, hit.score) for hit in hits])

asyncio.run(main())
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = {process.communicate(timeout=60)[0] for process in started}
    assert len(answers) == 1
    assert "t7@7" in answers.pop()
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_written_of_a_tool_changes_only_together_with_the_form(tool):
    """Else an index that was kept before would be read as if it were written as now."""
    documents = Documents(IndexSettings(), Languages(("en",)))
    text = "Create an issue in a repository. " + "Advice follows. " * 80
    document = documents.document(tool("create_issue", text))
    shares = sorted(document.body.items()), sorted(document.pairs.items())
    assert (FORM, hashlib.sha256(repr(shares).encode()).hexdigest()[:12]) == ("4", "f3f3f2545d3b")
