"""`plugins.settings.source-python`: the modules whose functions become tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from toolsearch_hookspecs import Settings, ToolAnnotations

OWNER = re.compile(r"[a-z0-9_.-]+")
MODULE = r"^[^\W\d]\w*(\.[^\W\d]\w*)*$"


class ModuleSettings(Settings):
    """One module.

    `functions` (names or patterns) is what to offer, by default every public function; one that
    is named in full need not be public. `exclude` is left out of that. `objects` are attributes
    whose methods are offered too, as `object.method`: an instance, a class (plain methods then
    take the instance as `self`), or a class with `()` behind it, instantiated once.

    `annotations` and `approval` go by pattern; a later entry adds to an earlier one. `workers`
    runs the functions in worker processes: `true`, or how many at once.
    """

    module: Annotated[str, Field(pattern=MODULE)]
    owner: str = ""
    functions: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    workers: bool | Annotated[int, Field(ge=1, le=64)] = False
    trusted: bool = True
    sequential: tuple[str, ...] = ()
    annotations: Mapping[str, ToolAnnotations] = {}
    approval: Mapping[str, str] = {}
    groups: tuple[str, ...] = ()
    timeout_ms: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _name_the_owner(self) -> ModuleSettings:
        owner = self.owner or self.module.lower()
        if not OWNER.fullmatch(owner):
            raise ValueError(f"owner {owner!r}: use a to z, 0 to 9, and _ . -")
        object.__setattr__(self, "owner", owner)  # the model is frozen once it is made
        return self

    @property
    def worker_count(self) -> int:
        """How many worker processes may run at once; none where functions run in this one."""
        return 2 if self.workers is True else int(self.workers)


class PythonSettings(Settings):
    """All modules, and what bounds their calls.

    `threads` is how many calls of one module run at once in this process; `maxItems` how much is
    taken from an iterator that a function gives.
    """

    modules: tuple[ModuleSettings, ...] = ()
    threads: Annotated[int, Field(ge=1, le=256)] = 8
    max_items: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000

    @field_validator("modules", mode="before")
    @classmethod
    def _names_stand_for_modules(cls, given: Any) -> Any:
        if not isinstance(given, list | tuple):
            return given
        return [{"module": item} if isinstance(item, str) else item for item in given]

    @model_validator(mode="after")
    def _owners_differ(self) -> PythonSettings:
        owners = [module.owner for module in self.modules]
        for owner in owners:
            if owners.count(owner) > 1:
                raise ValueError(f"two modules have the owner {owner!r}; give one of them another")
        return self
