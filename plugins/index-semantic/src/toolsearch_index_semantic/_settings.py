"""The settings of the index, under `plugins.settings.index-semantic`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from toolsearch_hookspecs import Settings

EncoderName = Literal["wordllama", "minilm", "onnx"]


class OnnxSettings(Settings):
    """A sentence encoder of the deployment's own: `folder` holds `model.onnx` and `tokenizer.json`.

    `pooling` makes one vector of a text's tokens: their mean, or the first token's. Some encoders
    want requests and tools to begin with words of their own.
    """

    folder: str
    pooling: Literal["mean", "first"] = "mean"
    request_prefix: str = ""
    tool_prefix: str = ""


class SemanticSettings(Settings):
    """`lexical` is the plugin whose index is blended with, `lexical_settings` what that plugin is
    given. Several encoders are averaged. `weight` is what the likest text adds to a score of which
    the best is 1, where that index is not sure of anything; by default what the encoder deserves.

    The vectors of sentence encoders are kept on disk, since making them takes long.
    """

    lexical: str = "index-whoosh"
    lexical_settings: Mapping[str, Any] = {}
    encoder: EncoderName | Annotated[tuple[EncoderName, ...], Field(min_length=1)] = "wordllama"
    onnx: OnnxSettings | None = None
    weight: Annotated[float, Field(ge=0)] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.05
    keep_on_disk: bool = True

    def encoders(self) -> tuple[EncoderName, ...]:
        named = (self.encoder,) if isinstance(self.encoder, str) else self.encoder
        return tuple(dict.fromkeys(named))
