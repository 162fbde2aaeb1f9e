"""A transformer that was trained to tell how alike sentences are, run by ONNX Runtime."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from ._settings import OnnxSettings

MAX_TOKENS = 128
BATCH = 32


class SentenceEncoder:
    """The pooled last layer of a model, or its own sentence vector where it gives one."""

    noise = 0.2
    alike = 0.4
    weight = 0.6
    leading: int | None = None
    quick = False

    def __init__(self, model: Path, tokenizer: Path, settings: OnnxSettings) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._settings = settings
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        # Threads that wait by spinning take longer than one request does.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        data = model.read_bytes()
        self._session = onnxruntime.InferenceSession(data, options)
        self._inputs = {one.name for one in self._session.get_inputs()}
        self.identity = hashlib.sha256(
            b"\0".join([data, tokenizer.read_bytes(), f"{MAX_TOKENS} {settings!r}".encode()])
        ).digest()

    def tools(self, texts: list[str]) -> Any:
        texts = [self._settings.tool_prefix + text for text in texts]
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        rows: dict[int, Any] = {}
        for start in range(0, len(order), BATCH):
            numbers = order[start : start + BATCH]
            vectors = self._encoded([texts[number] for number in numbers])
            rows.update(zip(numbers, vectors, strict=True))
        return np.array([rows[number] for number in range(len(texts))], np.float32)

    def request(self, text: str) -> Any:
        return self._encoded([self._settings.request_prefix + text])[0]

    def _encoded(self, texts: list[str]) -> Any:
        read = self._tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in read], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in read], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        (layer, *_) = self._session.run(
            None, {name: value for name, value in given.items() if name in self._inputs}
        )
        vectors = layer if layer.ndim == 2 else self._pooled(layer, mask)
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors.astype(np.float32)

    def _pooled(self, layer: Any, mask: Any) -> Any:
        if self._settings.pooling == "first":
            return layer[:, 0]
        return (layer * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
