"""What a search finds, and what it must not."""

from __future__ import annotations

import pytest


async def test_a_word_of_the_description_finds_the_tool_in_any_of_its_forms(catalog, tool):
    await catalog.add(
        tool("cron_add", "Schedule a recurring task"), tool("cron_list", "List the tasks")
    )
    assert (await catalog.names("scheduling"))[0] == "cron_add"


async def test_a_query_without_usable_terms_or_matches_gives_nothing(catalog, tool):
    await catalog.add(tool("open_page", "Open a page in the browser"))
    for text in ["", "   ", "the and of", "?!", "zxqv brrrt", "\x00\x01"]:
        assert await catalog.names(text) == []


async def test_a_part_of_a_word_is_no_match(catalog, tool):
    await catalog.add(
        tool("spreadsheet_open", "Open a spreadsheet"),
        tool("comment_add", "Add a comment"),
        tool("file_read", "Read a file"),
    )
    assert await catalog.names("read") == ["file_read"]
    assert await catalog.names("me") == []


async def test_identifiers_are_found_by_their_words(catalog, tool):
    await catalog.add(
        tool("getUserByEmail"), tool("delete_user_account"), tool("HTTPServerStart"), tool("sha256")
    )
    assert (await catalog.names("user email"))[0] == "getUserByEmail"
    assert (await catalog.names("start http server"))[0] == "HTTPServerStart"
    assert (await catalog.names("sha hash"))[0] == "sha256"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("отправить письмо", "ru"),
        ("письма отправка", "ru"),
        ("发送电子邮件", "zh"),
        ("メールを送る", "ja"),
        ("이메일 보내기", "ko"),
        ("ส่งอีเมล", "th"),
        ("στείλε μήνυμα", "el"),
        ("ईमेल भेजें", "hi"),
        ("envoyer un courriel", "fr"),
        ("CAFE", "cafe"),
    ],
)
async def test_queries_in_many_scripts_find_tools_described_so(catalog, tool, query, expected):
    await catalog.add(
        tool("ru", "Отправляет электронное письмо получателю"),
        tool("zh", "给收件人发送一封电子邮件"),
        tool("ja", "相手にメールを送信する。メールを送る"),
        tool("ko", "상대방에게 이메일을 보내기 위한 도구"),
        tool("th", "ส่งอีเมลถึงผู้รับ"),
        tool("el", "στείλε ένα μήνυμα"),
        tool("hi", "किसी को ईमेल भेजें"),
        tool("fr", "Envoyer un courriel à quelqu'un"),
        tool("cafe", "Réserver une table au café"),
        tool("weather", "Tell the weather of a city"),
    )
    assert (await catalog.names(query))[0] == expected


async def test_a_tool_of_another_server_is_not_buried_by_many_with_one_word(catalog, tool):
    await catalog.add(
        *(
            tool(f"github_{verb}_{thing}", f"{verb} a {thing} on GitHub", owner="github")
            for verb in ["get", "list", "create", "update", "delete"]
            for thing in ["issue", "branch", "commit", "release", "label", "fork", "gist", "tag"]
        ),
        tool("slack_send_message", "Send a message to a channel", owner="slack"),
    )
    assert "slack_send_message" in (await catalog.names("github send message to channel"))[:3]


@pytest.mark.parametrize(
    "text",
    [
        "foo-bar",
        '"',
        "*",
        "AND",
        "(a+)+$",
        "key:open AND NOT (name:[a TO z])",
        "\ud800 open",
        "\u202eegap nepo",
        "o̴p̵e̶n̷" * 50,
        "\x1b[31m",
        "' OR 1=1 --",
    ],
)
async def test_hostile_queries_are_plain_text(catalog, tool, text):
    await catalog.add(tool("open_page", "Open a page"), tool("close_page", "Close a page"))
    await catalog.hits(text)
    await catalog.hits("page", required=(text,))


async def test_a_huge_query_is_read_only_as_far_as_it_can_matter(catalog, tool):
    await catalog.add(tool("open_page", "Open a page"), tool("late", "Xylophone"))
    names = await catalog.names("open a page " + "filler words " * 10_000 + "xylophone")
    assert names == ["open_page"]


async def test_required_words_are_in_every_hit(catalog, tool):
    await catalog.add(
        tool("open_page", "Open a page in the browser"),
        tool("open_file", "Open a file"),
        tool("page_size", "Size of a page"),
    )
    assert await catalog.names("open page", required=("file",)) == ["open_file"]
    assert await catalog.names("open page", required=("pages", "open")) == ["open_page"]
    assert await catalog.names("open page", required=("walrus",)) == []


async def test_equal_scores_are_ordered_by_key(catalog, tool):
    tools = [tool("ping", "Ping a host", owner=owner) for owner in ["beta", "alpha", "gamma"]]
    await catalog.add(*tools)
    hits = await catalog.hits("ping a host")
    assert [hit.key for hit in hits] == sorted(one.key for one in tools)
    assert len({hit.score for hit in hits}) == 1
