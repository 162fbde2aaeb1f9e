"""Each plugin keeps its files in a folder of its own; the batteries share the host's."""

from __future__ import annotations

import stat
import sys

import pytest

from toolsearch import Host
from toolsearch.plugins import LoadedPlugin, own_state_dir

from .conftest import plugin_with


class Keeping:
    """Writes a file as soon as it is configured, as two plugins of one template would."""

    def __init__(self):
        self.context = None

    def configure(self, plugin):
        self.context = plugin
        (plugin.state_dir / "counts.json").write_text(plugin.name)


def keeping():
    kept = Keeping()
    return kept, plugin_with(toolsearch_configure=lambda self, plugin: kept.configure(plugin))


def loaded(name: str, *, battery: bool = False) -> LoadedPlugin:
    return LoadedPlugin(name, None, None, battery=battery, named=True, object=None)


def test_two_plugins_that_write_the_same_file_name_do_not_meet(tmp_path):
    (one, first), (two, second) = keeping(), keeping()
    Host.from_config({}, plugins=[("one", first), ("two", second)], environ={}, state_dir=tmp_path)
    assert one.context.state_dir == tmp_path / "plugins" / "one"
    assert (one.context.state_dir / "counts.json").read_text() == "one"
    assert (two.context.state_dir / "counts.json").read_text() == "two"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such modes")
def test_the_folder_is_there_and_readable_by_its_owner_only(tmp_path):
    own = own_state_dir(tmp_path / "a" / "state", loaded("mine"))
    for folder in (own, own.parent, own.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_the_files_of_the_batteries_stay_where_they_are(tmp_path):
    async with Host.from_config({}, environ={}, state_dir=tmp_path) as host:
        await host.plan()
    assert (tmp_path / "log").is_dir()
    assert not (tmp_path / "plugins").exists()
    assert own_state_dir(tmp_path, loaded("policy-rules", battery=True)) == tmp_path


@pytest.mark.parametrize("name", ["..", ".", "../../etc", "a/b", "über plugin", "x\0y"])
def test_no_name_leads_out_of_the_folder_of_plugins(tmp_path, name):
    own = own_state_dir(tmp_path, loaded(name))
    assert own.resolve().parent == (tmp_path / "plugins").resolve()
    assert own.is_dir()


def test_a_place_that_cannot_be_written_stops_no_host(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    own = own_state_dir(blocked / "state", loaded("mine"))
    assert not own.exists()
