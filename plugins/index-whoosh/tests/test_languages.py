"""Tools are found in the language that they are described in, whatever forms the words have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch_hookspecs import Allowed, SearchQuery
from toolsearch_index_whoosh import IndexSettings
from toolsearch_index_whoosh._index import WhooshIndex
from toolsearch_index_whoosh._languages import Languages
from toolsearch_index_whoosh._tongues import script_stemmer, stemmer

DESCRIBED = {
    "da": ("Opretter en faktura til en kunde", "oprette fakturaer til kunderne"),
    "de": ("Löscht die Dateien eines Ordners", "eine Datei aus den Ordnern löschen"),
    "es": ("Elimina los archivos de una carpeta", "eliminar el archivo de las carpetas"),
    "fi": ("Varaa huoneen hotellista", "varata huoneita hotelleista"),
    "fr": ("Crée une facture pour un client", "créer les factures des clients"),
    "hu": ("Szobát foglal egy szállodában", "szobák foglalása szállodákban"),
    "it": ("Elimina i documenti di una cartella", "eliminare un documento dalle cartelle"),
    "nl": ("Verwijdert de bestanden van een map", "een bestand uit de mappen verwijderen"),
    "no": ("Sletter filene i en mappe", "slette en fil fra mappene"),
    "pt": ("Apaga os arquivos de uma pasta", "apagar um arquivo das pastas"),
    "ro": ("Șterge fișierele dintr-un dosar", "ștergerea unui fișier din dosare"),
    "sv": ("Söker efter tidningens mest lästa artiklar", "söka en artikel i tidningarna"),
    "tr": ("Klasördeki dosyaları siler", "klasörlerden bir dosya silme"),
}
SCRIPTS = {
    "ru": ("Удаляет файлы из папки", "удалить файл из папок"),
    "ar": ("يرسل رسالة إلى جهات الاتصال المختارة", "إرسال الرسائل إلى جهة اتصال"),
    "el": ("Διαγράφει τα αρχεία ενός φακέλου", "διαγραφή ενός αρχείου από φακέλους"),
}


@pytest.fixture
def described(tool):
    """A tool in each language, among tools in English."""
    texts = [text for text, _ in (*DESCRIBED.values(), *SCRIPTS.values())]
    texts += ["Render a chart of the given numbers", "Lock the doors of the building"]
    return [tool(f"t{number}", text) for number, text in enumerate(texts)]


@pytest.mark.parametrize("language", [*DESCRIBED, *SCRIPTS])
async def test_a_tool_is_found_by_other_forms_of_the_words_that_describe_it(
    catalog, tool, language
):
    text, request = (DESCRIBED | SCRIPTS)[language]
    await catalog.add(
        tool("mine", text),
        tool("chart", "Render a chart of the given numbers"),
        tool("door", "Lock the doors of the building"),
    )
    assert (await catalog.names(request))[:1] == ["mine"]


async def test_most_are_first_among_tools_in_all_the_languages_too(catalog, described):
    await catalog.add(*described)
    pairs = zip(described, (*DESCRIBED.values(), *SCRIPTS.values()), strict=False)
    first = [(await catalog.names(request))[:1] == [one.name] for one, (_, request) in pairs]
    assert sum(first) >= len(first) - 3


async def test_english_requests_rank_the_same_beside_tools_in_other_languages(
    catalog, catalog_with, tool, described
):
    english = [
        tool("send_mail", "Send a mail to the given persons"),
        tool("list_mails", "List the mails of a folder, newest first"),
        tool("render", "Render the images of a page"),
    ]
    await catalog.add(*english, *described)
    blind = catalog_with(detect_languages=False)
    await blind.add(*english, *described)
    for text in ("send mails to a person", "images of pages", "the newest mail"):
        expected = [name for name in await blind.names(text) if not name.startswith("t")]
        assert [name for name in await catalog.names(text) if not name.startswith("t")] == expected


async def test_what_is_detected_outside_the_mask_changes_no_answer(catalog, catalog_with, tool):
    mine = [tool("archive", "Archive a list"), tool("listado", "Listado")]
    await catalog.add(
        *mine, *(tool(f"x{n}", text) for n, (text, _) in enumerate(DESCRIBED.values()))
    )
    alone = catalog_with()
    await alone.add(*mine)
    for text in ("archivos", "los listados de archivos", "eliminar listas"):
        assert await catalog.hits(text, among=mine) == await alone.hits(text)


async def test_a_required_word_is_met_in_another_form(catalog, tool):
    await catalog.add(
        tool("mine", "Elimina los archivos de una carpeta"),
        tool("other", "Elimina los correos de una persona"),
    )
    for word in ("archivo", "archivos", "ARCHIVO"):
        assert await catalog.names("eliminar los", required=(word,)) == ["mine"]
    assert await catalog.names("eliminar los", required=("walrus",)) == []


async def test_accents_may_be_left_out(catalog, tool):
    await catalog.add(
        tool("mine", "Cambia la configuración de una cuenta"),
        tool("other", "Elimina los correos de una persona"),
    )
    for text in ("la configuracion", "LA CONFIGURACIÓN", "las configuraciones"):
        assert (await catalog.names(text))[:1] == ["mine"]


async def test_languages_are_told_again_when_an_index_is_read_back(tmp_path, described):
    async def answers(index):
        allowed = Allowed(fingerprint="all", keys=frozenset(one.key for one in described))
        return [
            await index.search(SearchQuery(text=request), limit=3, allowed=allowed)
            for _, request in DESCRIBED.values()
        ]

    found = []
    for _ in range(2):
        index = WhooshIndex(IndexSettings(keep_on_disk=True), tmp_path)
        await index.update(described, frozenset())
        found.append(await answers(index))
    assert found[0] == found[1]


@pytest.mark.parametrize("text", [text for pair in DESCRIBED.values() for text in pair])
def test_a_text_is_told_to_be_in_its_language(text):
    (code,) = [code for code, pair in DESCRIBED.items() if text in pair]
    told = [tongue.code for tongue in Languages(("en",)).told(text)]
    assert code in told or not told


@pytest.mark.parametrize(
    "text",
    [
        "Send a message to the people of a list",
        "List AI agents, per minute",
        "Die cut stickers for the team of Los Angeles",
        "End a bare todo",
        "",
        "¿?",
        "天気",
    ],
)
def test_english_is_told_to_be_no_other_language(text):
    assert Languages(("en",)).told(text) == ()


@settings(max_examples=200, deadline=None)
@given(
    st.text(min_size=1, max_size=20),
    st.sampled_from("ar da de en es fi fr hu it nl no pt ro ru sv tr xx".split()),
)
def test_a_stemmer_takes_any_word_and_loses_none(word, language):
    assert stemmer(language)(word)
    assert script_stemmer(word[0])(word)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="aeiouyáéñçßșığőøå ÉÑ’'’-.,xdlnrst", max_size=80))
def test_any_text_is_read_in_any_language(text):
    languages = Languages(("fr", "de"))
    tongues = languages.tongues(["es", "ro", "tr", "fi"])
    languages.told(text)
    for terms, stems in languages.asked(text, tongues, frozenset()):
        assert all(terms)
        assert all(stems)
