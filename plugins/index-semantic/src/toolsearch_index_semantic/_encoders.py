"""Turn texts into vectors of length 1, offline."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from toolsearch_hookspecs import PluginError

from ._settings import SemanticSettings

NEEDS = {"wordllama": ("wordllama", "numpy"), "onnx": ("onnxruntime", "tokenizers", "numpy")}
MAX_TOKENS = 128
BATCH = 32


class Encoder(Protocol):
    """Encodes texts; how alike a request and an unrelated text usually look is `noise`, and how
    alike a request and its tool look at the least, mostly, `alike`."""

    noise: float
    alike: float

    def encode(self, texts: Sequence[str]) -> Any:
        """A matrix of 32-bit floats, one row of length 1 for each text."""
        ...


def require(settings: SemanticSettings, base_dir: Path) -> None:
    """Say what is missing, before anything is loaded. Raises PluginError."""
    missing = [name for name in NEEDS[settings.encoder] if importlib.util.find_spec(name) is None]
    if missing:
        raise PluginError(
            f"index-semantic: encoder {settings.encoder!r} needs {', '.join(missing)}; "
            f"pip install 'toolsearch-index-semantic[{settings.encoder}]'"
        )
    if settings.encoder == "onnx":
        folder = _folder(settings, base_dir)
        for name in ("model.onnx", "tokenizer.json"):
            if not (folder / name).is_file():
                raise PluginError(f"index-semantic: there is no {name} in {folder}")


def encoder(settings: SemanticSettings, base_dir: Path) -> Encoder:
    match settings.encoder:
        case "wordllama":
            return WordVectors()
        case "onnx":
            return SentenceEncoder(_folder(settings, base_dir))


def _folder(settings: SemanticSettings, base_dir: Path) -> Path:
    if settings.onnx_folder is None:
        raise PluginError("index-semantic: encoder 'onnx' needs the setting onnxFolder")
    return base_dir / settings.onnx_folder


class WordVectors:
    """Averages of static word vectors, from the files of the package itself."""

    noise = 0.15
    alike = 0.35

    def __init__(self) -> None:
        import wordllama

        # Its own folder is laid out like its download cache, so that nothing is downloaded.
        self._model = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, disable_download=True
        )

    def encode(self, texts: Sequence[str]) -> Any:
        return self._model.embed([text or " " for text in texts], norm=True).astype("float32")


class SentenceEncoder:
    """A transformer's averaged last layer."""

    noise = 0.2
    alike = 0.4

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        rows: dict[int, Any] = {}
        for start in range(0, len(order), BATCH):
            numbers = order[start : start + BATCH]
            with self._lock:
                vectors = self._batch([texts[number] for number in numbers])
            rows.update(zip(numbers, vectors, strict=True))
        return np.array([rows[number] for number in range(len(texts))], np.float32)

    def _batch(self, texts: list[str]) -> Any:
        import numpy as np

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
        pooled = (layer * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        return pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-9)
