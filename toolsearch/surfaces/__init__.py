"""What a provider takes: names, schemas and descriptions made to fit before anything is sent."""

from ._chosen import FittedRenderer, Surfaces
from ._fit import FittedSurface, Fitter, fitted_schema
from ._names import provider_names

__all__ = [
    "FittedRenderer",
    "FittedSurface",
    "Fitter",
    "Surfaces",
    "fitted_schema",
    "provider_names",
]
