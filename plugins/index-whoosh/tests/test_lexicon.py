"""The lexicon leads from the words of requests to those of tools."""

from __future__ import annotations

import pytest

from toolsearch_index_whoosh._languages import Languages
from toolsearch_index_whoosh._lexicon import BACK, BESIDE, INSTANCE, SAME, lexicon, parse

LINES = ["# a comment", "", "weather forecast 天气 ~ rain location : umbrella"]


@pytest.fixture
def small():
    return parse(LINES, lambda word: word)


def test_words_of_a_concept_lead_to_each_other_in_any_language(small):
    assert small.around("weather")["forecast"] == SAME
    assert small.around("天气")["weather"] == SAME
    assert small.around("weather")["天气"] == SAME


def test_what_goes_with_a_concept_is_led_to_less_and_leads_back_least(small):
    assert small.around("weather")["rain"] == BESIDE
    assert small.around("rain") == {"weather": BACK, "forecast": BACK, "天气": BACK}


def test_an_instance_leads_to_its_concept_and_nothing_leads_to_it(small):
    assert small.around("umbrella")["weather"] == INSTANCE
    assert all("umbrella" not in small.around(word) for word in ["weather", "rain", "天气"])


def test_an_unknown_word_leads_nowhere(small):
    assert small.around("xyzzy") == {}


def test_the_lexicon_that_ships_is_whole():
    languages = Languages(("en",))
    shipped = lexicon(languages.term)
    term = languages.term
    assert shipped.around(term("photo"))[term("image")] == SAME
    assert term("weather") in shipped.around(term("umbrella"))
    assert term("search") in shipped.around("搜索")
    assert all(0 < weight <= 1 for leads in shipped.leads.values() for weight in leads.values())
    assert all(term not in leads for term, leads in shipped.leads.items())
