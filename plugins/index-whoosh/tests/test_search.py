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


@pytest.mark.parametrize("acceleration", ["auto", "off"])
async def test_clauses_beyond_what_is_read_of_a_query_are_harmless(
    catalog_with, tool, acceleration
):
    catalog = catalog_with(acceleration=acceleration, min_confidence=0)
    await catalog.add(tool("open_page", "Open a page"), tool("close_page", "Close a page"))
    many = ". ".join(f"open w{n}a w{n}b" for n in range(400))
    assert await catalog.names(many) == ["open_page"]


async def test_required_words_are_in_every_hit(catalog, tool):
    await catalog.add(
        tool("open_page", "Open a page in the browser"),
        tool("open_file", "Open a file"),
        tool("page_size", "Size of a page"),
    )
    assert await catalog.names("open page", required=("file",)) == ["open_file"]
    assert await catalog.names("open page", required=("pages", "open")) == ["open_page"]
    assert await catalog.names("open page", required=("walrus",)) == []


@pytest.mark.parametrize("word", ["getUser", "get_user", "GET-USER", "users"])
async def test_a_required_name_is_met_in_any_spelling(catalog, tool, word):
    await catalog.add(
        tool("get_user", "Read the record"),
        tool("getUser2", "Read the record"),
        tool("get_page", "Read the record"),
    )
    found = await catalog.names("read the record", required=(word,))
    assert sorted(found) == ["getUser2", "get_user"]


async def test_equal_scores_are_ordered_by_key(catalog, tool):
    tools = [tool("ping", "Ping a host", owner=owner) for owner in ["beta", "alpha", "gamma"]]
    await catalog.add(*tools)
    hits = await catalog.hits("ping a host")
    assert [hit.key for hit in hits] == sorted(one.key for one in tools)
    assert len({hit.score for hit in hits}) == 1


async def test_a_request_of_a_foreign_domain_finds_nothing_rather_than_filler(catalog, tool):
    await catalog.add(
        tool("list_directory", "List the files of a directory"),
        tool("read_file", "Read the contents of a file"),
        tool("git_log", "Show the commits of a branch, newest first"),
        tool("run_query", "Run a query against the database and sort the rows"),
        tool("create_branch", "Create a branch in the repository"),
    )
    assert await catalog.names("order a pizza") == []
    assert await catalog.names("reserve dinner at a restaurant for tonight") == []
    assert await catalog.names("which files are in this directory") != []


async def test_confidence_falls_from_hit_to_hit_and_is_higher_the_more_is_answered(catalog, tool):
    await catalog.add(
        tool("send_message", "Send a message to a channel"),
        tool("message_stats", "Count the messages of last week"),
        tool("weather", "Tell the weather"),
    )
    hits = await catalog.hits("send a message to a channel")
    confidences = [hit.confidence for hit in hits]
    assert confidences == sorted(confidences, reverse=True)
    assert confidences[0] > 0.6
    vague = await catalog.hits("channel umbrella zebra walrus")
    assert all(hit.confidence < confidences[0] for hit in vague)


async def test_abstention_can_be_turned_off(catalog_with, tool):
    keen = catalog_with(min_confidence=0)
    await keen.add(tool("git_log", "Show the commits of a branch in any order"), tool("ls", "List"))
    assert await keen.names("order a pizza with extra cheese") == ["git_log"]


async def test_requests_are_led_to_the_words_of_tools(catalog, tool):
    await catalog.add(
        tool("apartment_finder", "Rental listings"),
        tool("forecast", "Weather of the coming days"),
        tool("charge_card", "Take a payment"),
        tool("热榜", "获取新闻热榜"),
    )
    assert (await catalog.names("will I need an umbrella"))[0] == "forecast"
    assert (await catalog.names("find a flat to lease"))[0] == "apartment_finder"
    assert (await catalog.names("latest news headlines"))[0] == "热榜"


@pytest.mark.parametrize("slip", ["wether", "waether", "weathr", "weatherr", "weathet"])
async def test_a_slip_of_one_letter_is_mended(catalog, tool, slip):
    await catalog.add(tool("weather", "Tell the weather"), tool("news", "Tell the news"))
    assert (await catalog.names(f"{slip} in town"))[0] == "weather"


async def test_two_words_written_as_one_are_parted(catalog, tool):
    await catalog.add(tool("issue_tracker", "Lists issues"), tool("news", "Tell the news"))
    assert (await catalog.names("issuetracker"))[0] == "issue_tracker"


async def test_a_mend_never_comes_from_a_tool_outside_the_mask(catalog, tool):
    mine, secret = tool("clock", "Tell the time"), tool("zanzibar", "Zanzibar secrets")
    await catalog.add(mine, secret)
    assert await catalog.names("zanzibor", among=[mine]) == []


async def test_repeated_keywords_do_not_buy_rank(catalog, tool):
    honest = tool("send_email", "Send an email to a recipient", owner="mail")
    verbs = "send create delete update list read email message file search weather news stock " * 60
    stuffed = tool("best_tool", "email " * 1000, owner="spam", trusted=False)
    hoarder = tool("do_all", verbs, owner="spam", trusted=False)
    parameters = {
        "type": "object",
        "properties": {
            f"send_email_{n}": {"type": "string", "description": "send an email " * 50}
            for n in range(200)
        },
    }
    nested = tool("x", "Useful", owner="spam", trusted=False, input_schema=parameters)
    others = [tool("clock", "Tell the time"), tool("read_file", "Read a file")]
    await catalog.add(honest, stuffed, hoarder, nested, *others)
    for text in ["send email", "email", "send an email to a recipient", "send one by email"]:
        assert (await catalog.names(text))[0] == "send_email"


async def test_parameter_texts_of_untrusted_tools_can_be_left_out(catalog_with, tool):
    schema = {"type": "object", "properties": {"zebra": {"type": "string"}}}
    guest = tool("guest", "Feed one", trusted=False, input_schema=schema)
    own = tool("own", "Feed one", input_schema=schema)
    off, bounded = catalog_with(untrusted_parameters="off"), catalog_with()
    await off.add(guest, own)
    await bounded.add(guest, own)
    assert await off.names("zebra") == ["own"]
    assert set(await bounded.names("zebra")) == {"guest", "own"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("明天北京的天气怎么样", "get_weather"),
        ("最新のニュースを検索", "search_news"),
        ("호텔 예약하기", "book_hotel"),
        ("какая завтра погода", "get_weather"),
        ("reservar un hotel", "book_hotel"),
        ("rechercher les nouvelles", "search_news"),
    ],
)
async def test_requests_in_another_language_find_tools_described_in_english(
    catalog, tool, query, expected
):
    await catalog.add(
        tool("get_weather", "Get the weather forecast for a city"),
        tool("search_news", "Search the latest news articles"),
        tool("book_hotel", "Book a hotel room"),
        tool("read_file", "Read the content of a file"),
    )
    assert (await catalog.names(query))[0] == expected
