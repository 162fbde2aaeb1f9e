"""The settings of the index, under `plugins.settings.index-semantic`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from toolsearch_hookspecs import Settings


class SemanticSettings(Settings):
    """`lexical` is the plugin whose index is blended with, `lexical_settings` what that plugin is
    given. `weight` is what the likest text adds to a score of which the best is 1, where that index
    is not sure of anything.

    `onnx_folder` holds `model.onnx` and `tokenizer.json` of a sentence encoder.
    """

    lexical: str = "index-whoosh"
    lexical_settings: Mapping[str, Any] = {}
    encoder: Literal["wordllama", "onnx"] = "wordllama"
    onnx_folder: str | None = None
    weight: Annotated[float, Field(ge=0)] = 0.7
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.1
