"""Curves from what models give instead of survival: laws, hazards, masses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_floats, check_same_length
from consurv._registry import resolve
from consurv.curves.representations.law import Law
from consurv.curves.representations.loglogistic import LogLogistic
from consurv.curves.representations.lognormal import LogNormal
from consurv.curves.representations.weibull import Weibull
from consurv.errors import InvalidInput

__all__ = ["LAWS", "make_law", "survival_of_hazards", "survival_of_masses"]

# Each law by its own name and by what log T follows, as boosters call it.
LAWS: dict[str, type[Law]] = {
    "weibull": Weibull,
    "log-normal": LogNormal,
    "log-logistic": LogLogistic,
    "extreme": Weibull,
    "normal": LogNormal,
    "logistic": LogLogistic,
}

# Sums of float32 probabilities are off by so much.
_TOLERANCE = 1e-4


def make_law(
    location: ArrayLike, scale: ArrayLike, law: str, last_time: ArrayLike
) -> Law:
    """Return the law log T = location + scale · W of every subject.

    Examples
    --------
    >>> make_law([0.0], 0.0, "weibull", np.inf)
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: scale must be > 0, but 1 of 1 are not, the first \
is 0; a law without spread has no survival curve
    """
    kind = resolve(LAWS, law, "law")
    centre = as_floats(location, "location")
    spread = as_floats(np.atleast_1d(np.asarray(scale)), "scale")
    wrong = spread <= 0
    if wrong.any():
        raise InvalidInput(
            f"scale must be > 0, but {int(wrong.sum())} of {len(spread)} are not, the "
            f"first is {spread[wrong][0]:g}; a law without spread has no survival curve"
        )
    if spread.size == 1:
        spread = np.full(centre.shape, spread[0])
    check_same_length(location=len(centre), scale=len(spread))
    return kind(centre, spread, last_time)


def survival_of_hazards(hazards: ArrayLike) -> Float:
    """Return the survival after each interval, ∏ (1 − h).

    Examples
    --------
    >>> survival_of_hazards([[0.5, 0.5]])
    array([[0.5 , 0.25]])
    """
    values = _probabilities(hazards, "hazards", "hazard-logits")
    return np.asarray(np.cumprod(1 - values, axis=1), dtype=np.float64)


def survival_of_masses(pmf: ArrayLike, n_times: int) -> Float:
    """Return the survival after each interval, 1 − Σ p.

    Examples
    --------
    >>> survival_of_masses([[0.5, 0.25, 0.25]], 2)
    array([[0.5 , 0.25]])
    """
    values = _probabilities(pmf, "pmf", "pmf-logits")
    total = values.sum(axis=1)
    beyond = values.shape[1] == n_times + 1
    wrong = np.abs(total - 1) > _TOLERANCE if beyond else total > 1 + _TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInput(
            f"the masses of a row of pmf must add up to {'' if beyond else 'at most '}"
            f"1, but those of row {row} add up to {total[row]:g}"
        )
    survival: Float = 1 - np.cumsum(values[:, :n_times], axis=1)
    # What is left after the last interval is rounding where it should be nothing.
    return np.where(survival < _TOLERANCE**2, 0.0, survival)


def _probabilities(values: ArrayLike, name: str, instead: str) -> Float:
    array: Float = as_floats(values, name, ndim=2)
    outside = (array < -_TOLERANCE) | (array > 1 + _TOLERANCE)
    if outside.any():
        row, column = (int(i) for i in np.argwhere(outside)[0])
        raise InvalidInput(
            f"{name} must lie between 0 and 1, but {int(outside.sum())} values do not, "
            f"the first at row {row}, column {column}: {array[row, column]:g}; if they "
            f"are logits, apply softmax or sigmoid first (output={instead!r} of "
            "FromTorch does)"
        )
    return np.clip(array, 0.0, 1.0)
