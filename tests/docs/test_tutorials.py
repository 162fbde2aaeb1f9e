"""The tutorials, done as they stand: each file is written, each command run, each output compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import attrs
import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAMEWORKS = ("openai", "pydantic_ai")  # that a page may use beside us
TUTORIALS = sorted(path.stem for path in (DOCS / "tutorials").glob("*.md"))


@attrs.define
class Reader:
    """Somebody who does what a page says."""

    place: object
    folder: Path
    said: str = ""

    def do(self, line: str) -> None:
        match shlex.split(line):
            case ["cd", where]:
                self.folder = (self.folder / where).resolve()
            case ["pip", "install", "."]:
                self.place.install(self.folder)
            case command:
                done = self.place.ran(*command, cwd=self.folder)
                assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
                self.said += done.stdout + done.stderr

    def expects(self, text: str) -> None:
        for line in text.splitlines():
            assert squeezed(line) in squeezed(self.said), f"{line!r} is not in:\n{self.said}"
        self.said = ""


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("tutorial", TUTORIALS)
def test_a_tutorial_works_as_it_is_written(elsewhere, tmp_path, tutorial):
    page = (DOCS / "tutorials" / f"{tutorial}.md").read_text()
    blocks = BLOCK.findall(page)
    for framework in FRAMEWORKS:
        if re.search(rf"^(?:from|import) {framework}\b", page, re.MULTILINE):
            pytest.importorskip(framework)
    for _, title, text in blocks:
        if title:
            (tmp_path / title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / title).write_text(text)
    reader = Reader(attrs.evolve(elsewhere, work=tmp_path), tmp_path)
    for language, _, text in blocks:
        match language:
            case "sh":
                reader.said = ""
                for line in text.splitlines():
                    reader.do(line)
            case "text":
                reader.expects(text)


@pytest.mark.slow
def test_the_test_on_the_testing_page_passes(elsewhere, tmp_path):
    blocks = BLOCK.findall((DOCS / "reference/testing.md").read_text())
    (title, text) = next((title, text) for _, title, text in blocks if title)
    (tmp_path / title).write_text(text)
    assert "1 passed" in elsewhere.run("python", "-m", "pytest", "-q", cwd=tmp_path)
