# ruff: noqa: INP001 - this becomes a distribution of its own
"""A build backend (PEP 517) for one pure package, so that building it fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel; gives its file name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    files = {
        str(path.relative_to(ROOT / "src").as_posix()): path.read_bytes()
        for path in sorted((ROOT / "src").rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    for name, text in _metadata(project).items():
        files[f"{stem}.dist-info/{name}"] = text.encode()
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def _metadata(project: dict[str, Any]) -> dict[str, str]:
    points = [
        line
        for group, named in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in named.items()))
    ]
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    wheel = (
        "Wheel-Version: 1.0\nGenerator: toolsearch qa\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    return {"METADATA": head, "WHEEL": wheel, "entry_points.txt": "\n".join([*points, ""])}


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
