"""Configuration (S10): found, read, checked, resolved and edited."""

from ._document import WITHHELD, ConfigDocument, document_of, read_config
from ._edit import value_at, with_value, without_value
from ._files import read_bytes, state_dir_of
from ._host_config import HostConfig
from ._json5 import parse
from ._keypath import path_of
from ._layers import written_modes
from ._models import PluginsSettings, StagesSettings
from ._reading import Problem, nearest, unknown
from ._resolve import config_problems, resolve_config
from ._save import save_config
from ._schema import config_schema
from ._secrets import masked
from ._tree import Path as KeyPath
from ._tree import spoken
from ._trust import TrustStore, digest_of

__all__ = [
    "WITHHELD",
    "ConfigDocument",
    "HostConfig",
    "KeyPath",
    "PluginsSettings",
    "Problem",
    "StagesSettings",
    "TrustStore",
    "config_problems",
    "config_schema",
    "digest_of",
    "document_of",
    "masked",
    "nearest",
    "parse",
    "path_of",
    "read_bytes",
    "read_config",
    "resolve_config",
    "save_config",
    "spoken",
    "state_dir_of",
    "unknown",
    "value_at",
    "with_value",
    "without_value",
    "written_modes",
]
