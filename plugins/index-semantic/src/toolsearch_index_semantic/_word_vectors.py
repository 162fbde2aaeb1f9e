"""Averages of static word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class WordVectors:
    """The vectors of `wordllama`, from the files of the package itself. They are made such that the
    first numbers alone tell most."""

    noise = 0.2
    alike = 0.4
    weight = 0.5
    leading: int | None = 64
    quick = True

    def __init__(self) -> None:
        import wordllama

        # Its own folder is laid out like its download cache, so that nothing is downloaded.
        self._model = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, disable_download=True
        )

    def tools(self, texts: list[str]) -> Any:
        return self._model.embed([text or " " for text in texts], norm=True).astype("float32")

    def request(self, text: str) -> Any:
        return self.tools([text])[0]
