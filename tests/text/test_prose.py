from __future__ import annotations

import pytest

from toolsearch.text import opening

FIRST = "Creates an issue in a repository of a user."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{FIRST} Labels are made where there are none.", FIRST),
        (f"{FIRST}\n\nArgs:\n    title: of the issue", FIRST),
        ("Creates an issue in a repository of a user\n\nArgs:\n title", FIRST[:-1]),
        ("Search. Looks through all files of the project, e.g. its tests. Slow.",
         "Search. Looks through all files of the project, e.g. its tests."),
        ("Reads version 1.2.3 of a file.txt in the folder of the project", None),
        ("在数据库中搜索用户的订单，并按日期、金额和客户名称排序，返回前二十条记录以及它们的状态信息。不修改任何数据。",
         "在数据库中搜索用户的订单，并按日期、金额和客户名称排序，返回前二十条记录以及它们的状态信息。"),
        ("", ""),
        ("  \n\n ", ""),
        ("Short.", "Short."),
    ],
)  # fmt: skip
def test_what_opens_a_text_is_its_first_telling_sentence(text: str, shown: str | None):
    assert opening(text, 120) == (text if shown is None else shown)


def test_a_sentence_without_end_is_cut():
    assert opening("word " * 100, 20) == "word word word word…"
