"""The screens, drawn from steps: warnings that this machine cannot show, and hostile text."""

from io import StringIO

import pytest
from rich.console import Console

from toolsearch.demo import Screens
from toolsearch.demo._steps import (
    CallSpan,
    CatalogStep,
    CodeStep,
    Exchange,
    Isolation,
    SourceSize,
    ToolsStep,
)

WEAK = Isolation(
    runtime="node", version="22.1.0", isolated=False, missing=("network",), cure="use Node 25"
)
CODE = CodeStep(
    asked="?",
    mode="code",
    isolation=WEAK,
    code="return 1",
    outcome={"ok": True, "value": 1, "logs": [{"level": "log", "text": "seen"}]},
    calls=(CallSpan(tool="plugin:html:escape", source="plugin", started_ms=0, ended_ms=1.5),),
)


def drawn(step, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=False)
    Screens(console).show(step)
    return console.file.getvalue()


def test_weak_isolation_is_said_with_what_is_missing_and_a_cure():
    text = drawn(CODE)
    assert "node 22.1.0 is not isolated here (network)" in text
    assert "for its own body alone" in text
    assert "use Node 25" in text


def test_full_isolation_is_said():
    held = CODE.model_copy(update={"isolation": WEAK.model_copy(update={"isolated": True})})
    assert "Isolated in node 22.1.0" in drawn(held)


def test_logs_value_and_calls_of_the_body_are_shown():
    text = drawn(CODE)
    assert "seen" in text
    assert "plugin:html:escape" in text
    assert "1.5" in text


def test_a_body_that_failed_is_shown_as_it_failed():
    failed = {"code": "code_failed", "message": "TypeError: x"}
    broken = CODE.model_copy(update={"outcome": failed})
    assert not broken.as_promised
    assert "TypeError: x" in drawn(broken)


@pytest.mark.parametrize("text", ["\x1b[2Jgone", "a\u202eb", "[bold red]x[/]", "a\r\nb"])
def test_what_a_server_says_cannot_act_on_the_terminal(text):
    hit = {"id": f"mcp:x:{text}", "input": text}
    answer = {"results": [{"query": "q", "hits": [hit]}]}
    step = ToolsStep(
        asked="?", exchanges=(Exchange(name="tool_search", arguments={"q": text}, answer=answer),)
    )
    shown = drawn(step)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    if text.startswith("["):
        assert text in shown


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_width_will_do_and_many_modules_are_summed_up(width):
    sizes = tuple(
        SourceSize(source="plugin", owner=f"module{n}", tools=2, bytes=100) for n in range(20)
    )
    text = drawn(CatalogStep(tools=40, bytes=2_000, sources=sizes, missing=("no git",)), width)
    assert max(map(len, text.splitlines())) <= width
    assert "12 more" in text
    assert "no git" in text
