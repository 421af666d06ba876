"""Regressions of lifelines: their numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from lifelines.fitters import BaseFitter
from lifelines.utils import CensoringType, CovariateParameterMappings

from consurv.keep.classes import class_path, find_class, rebuild
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_HOMES = ("lifelines",)
# The one formula that lifelines writes itself, of parameters without features.
_CONSTANT = "1"


def store(value: Any) -> Any:
    """Return the attributes of a fitter or of one of its parts."""
    if isinstance(value, CensoringType):
        return {"censoring": value.value}
    if isinstance(value, CovariateParameterMappings):
        return {
            "mappings": {k: _columns(v) for k, v in value.mappings.items()},
            "flags": [value.force_intercept, value.force_no_intercept],
        }
    if not isinstance(value, BaseFitter):
        raise NotPlain(f"a {type(value).__name__} of lifelines")
    # Likelihoods with the data in them serve training alone.
    state = {k: v for k, v in vars(value).items() if not isinstance(v, partial)}
    return {"class": class_path(type(value)), "state": state}


def restore(state: Any) -> Any:
    """Return the fitter, or the part of one."""
    if "censoring" in state:
        return CensoringType(state["censoring"])
    if "mappings" in state:
        return _mappings(state)
    return rebuild(find_class(state["class"], _HOMES, BaseFitter), state["state"])


def _columns(mapping: Any) -> list[str]:
    """Return the columns of a parameter; formulas keep a state of their own."""
    if isinstance(mapping, list):
        return [str(name) for name in mapping]
    if str(mapping.formula) == _CONSTANT:
        return []
    raise NotPlain(f"it was fitted by the formula {str(mapping.formula)!r}")


def _mappings(state: Any) -> Any:
    import pandas as pd

    # lifelines makes the constant from a table, of which it only takes the columns.
    empty = pd.DataFrame({"_": [0.0]})
    names = state["mappings"]
    constant = dict.fromkeys(names, _CONSTANT)
    made = CovariateParameterMappings(constant, empty)
    made.mappings = {k: v or made.mappings[k] for k, v in names.items()}
    made.force_intercept, made.force_no_intercept = state["flags"]
    return made
