"""Curves as plain numbers for a file, in the form they are held in, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.curves.nodes import Nodes
from consurv.curves.representations import (
    Given,
    LogLogistic,
    LogNormal,
    Proportional,
    Representation,
    Steps,
    Table,
    Weibull,
)

__all__ = ["form_of", "state_of"]

_LAWS: dict[str, type[Any]] = {
    "weibull": Weibull,
    "lognormal": LogNormal,
    "loglogistic": LogLogistic,
}
_INTERPOLATIONS = ("linear", "step", "pchip")


def state_of(form: Representation) -> dict[str, Any]:
    """Return a form as a word and arrays; one of your own becomes its table.

    Examples
    --------
    >>> form = Weibull(np.zeros(2), np.ones(2))
    >>> state_of(form)["form"], len(form_of(state_of(form)))
    ('weibull', 2)
    """
    for word, law in _LAWS.items():
        if type(form) is law:
            names = "location", "scale", "last"
            return {"form": word, **{n: vars(form)[f"_{n}"] for n in names}}
    if isinstance(form, Proportional):
        return {
            "form": "proportional",
            "baselines": [[b.times, b.log_hazard] for b in form._baselines],
            "log_risk": form._log_risk,
            "stratum": form._stratum,
        }
    if isinstance(form, Given):
        return {"form": "given", "of": state_of(form._form), "time": form._time}
    return {"form": "table", **form.nodes()._asdict()}


def form_of(state: Mapping[str, Any]) -> Representation:
    """Return the form that ``state_of`` told of.

    Raises
    ------
    ValueError
        If these are no curves.
    """
    return _FORMS[state["form"]](state)


def _table(state: Mapping[str, Any]) -> Table:
    times, survival = (np.asarray(state[name]) for name in ("times", "survival"))
    rates = state["rates"]
    fits = survival.ndim == 2 and times.shape in (survival.shape, survival.shape[1:])
    if not fits or state["interpolation"] not in _INTERPOLATIONS:
        raise ValueError("it has curves whose times do not fit")
    _check_rising(times)
    _check_rising(-survival)
    if not ((survival >= 0) & (survival <= 1)).all():
        raise ValueError("it has curves that leave [0, 1]")
    if rates is not None and np.shape(rates) != survival.shape:
        raise ValueError("it has curves whose slopes do not fit")
    return Table(Nodes(times, survival, state["interpolation"], rates))


def _law(state: Mapping[str, Any]) -> Representation:
    arrays = [np.asarray(state[name]) for name in ("location", "scale", "last")]
    if arrays[0].ndim != 1 or len({array.shape for array in arrays}) > 1:
        raise ValueError("it has laws whose numbers do not fit")
    made: Representation = _LAWS[state["form"]](*arrays)
    return made


def _proportional(state: Mapping[str, Any]) -> Proportional:
    baselines, log_risk = state["baselines"], np.asarray(state["log_risk"])
    stratum = state["stratum"]
    for times, hazard in baselines:
        _check_rising(np.asarray(times))
        _check_rising(np.asarray(hazard))
        if np.shape(times) != np.shape(hazard):
            raise ValueError("it has a baseline whose times do not fit")
    if log_risk.ndim != 1 or not baselines:
        raise ValueError("it has risks that do not fit")
    if stratum is not None:
        stratum = np.asarray(stratum)
        known = (stratum >= 0) & (stratum < len(baselines))
        if stratum.shape != log_risk.shape or not known.all():
            raise ValueError("it has strata that do not fit")
    return Proportional([Steps(*pair) for pair in baselines], log_risk, stratum)


def _given(state: Mapping[str, Any]) -> Given:
    form, time = form_of(state["of"]), np.asarray(state["time"])
    if time.shape != (len(form),):
        raise ValueError("it has conditions that do not fit its curves")
    return Given(form, time)


def _check_rising(values: Float) -> None:
    # Two infinite ones in a row have no difference, and do not fall.
    if values.size == 0 or not (values[..., 1:] >= values[..., :-1]).all():
        raise ValueError("it has curves that are none")


_FORMS: dict[str, Callable[[Mapping[str, Any]], Representation]] = {
    "table": _table,
    "proportional": _proportional,
    "given": _given,
    **dict.fromkeys(_LAWS, _law),
}
