"""The settings of the index, under `plugins.settings.index-whoosh`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolsearch_hookspecs import Settings


class IndexSettings(Settings):
    """How texts are read and ranked.

    `languages` are the languages of Latin-script texts, first one first: their stop words and
    the first one's stemmer are used. Texts in other languages are told by their commonest words, and
    filed under the stems of those languages too, unless `detect_languages` is off; other scripts are
    told by their letters. `untrusted_parameters` says
    whether the parameter texts of tools that the deployment did not write are indexed: `bounded`
    takes few of them, `off` none. `min_confidence` is how sure the index must be of its best hit
    to answer at all; 0 never abstains. `acceleration: "off"` ignores an installed numpy. `keep_on_disk`
    writes the index of the first tools to the state directory, so that the next start with the same
    tools reads it back.
    """

    languages: tuple[str, ...] = ("en",)
    detect_languages: bool = True
    untrusted_parameters: Literal["bounded", "off"] = "bounded"
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.12
    acceleration: Literal["auto", "off"] = "auto"
    keep_on_disk: bool = False
