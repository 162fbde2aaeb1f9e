"""Puts the parts of the reference into the pages, when the documentation is built.

A page says `<!-- generated: hooks -->` where the part belongs. `toolsearch docs hooks` prints the
same in a terminal.
"""

from __future__ import annotations

import re
from typing import Any

from toolsearch.reference import drawn

MARK = re.compile(r"<!-- generated: (\w+)(?:; [^>]*)? -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return MARK.sub(lambda found: drawn(found[1]), markdown)
