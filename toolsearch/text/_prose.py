"""What a longer text begins with, where there is no room for all of it."""

from __future__ import annotations

import re

from toolsearch_hookspecs.text import one_line

_TELLING = 40  # characters: "Search." alone tells nothing, and the sentence after it is taken too
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?:[.!?](?=\s)|[。！？])")
_PARAGRAPH = re.compile(r"\n\s*\n")


def opening(text: str, limit: int) -> str:
    """The first sentence on one line, with those after it while that is short; cut at `limit`.

    A paragraph ends a sentence, too.
    """
    break_ = _PARAGRAPH.search(text, _TELLING)
    line = one_line(text[: break_.start()] if break_ else text, limit)
    end = _END.search(line, _TELLING - 1)
    return line[: end.end()] if end else line
