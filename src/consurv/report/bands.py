"""Confidence bands: what chance alone does to a calibrated model and to a curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, norm

from consurv._checks import Float, as_floats
from consurv._params import Between, check_params
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput

__all__ = ["binomial_band", "greenwood_band", "observed_fraction"]


def binomial_band(
    n: ArrayLike, probabilities: ArrayLike, coverage: float = 0.95
) -> tuple[Float, Float]:
    """Return the range of a share of *n* subjects that chance alone explains.

    Without censoring, the number of subjects of a calibrated model with S(t_i) ≤ ρ is
    binomial with n and ρ, and so is that in a bin of width ρ. The band holds the
    central *coverage* of this law at each probability by itself (pointwise, not all at
    once). In D-calibration a censored subject enters by its expectation, which varies
    less, so with censoring the band is too wide rather than too narrow.

    Parameters
    ----------
    n : int or array-like of shape (p,)
        Number of subjects, the same for all or one each.
    probabilities : array-like of shape (p,)
        In [0, 1].
    coverage : float

    Returns
    -------
    lower, upper : arrays of shape (p,)
        Shares in [0, 1].

    Examples
    --------
    >>> lower, upper = binomial_band(100, [0.5])
    >>> lower, upper
    (array([0.4]), array([0.6]))
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    size = as_floats(n, "n", ndim=(0, 1))
    probability = as_floats(probabilities, "probabilities")
    if (size < 1).any():
        raise InvalidInput(f"n must be at least 1, got {size.min():g}")
    outside = (probability < 0) | (probability > 1)
    if outside.any():
        value = probability[outside][0]
        raise InvalidInput(f"probabilities must lie in [0, 1], got {value:g}")
    tail = (1 - coverage) / 2
    lower: Float = binom.ppf(tail, size, probability) / size
    upper: Float = binom.ppf(1 - tail, size, probability) / size
    return lower, upper


def greenwood_band(
    kaplan_meier: KaplanMeier, coverage: float = 0.95
) -> tuple[Float, Float]:
    """Return the pointwise confidence band of a Kaplan–Meier curve at its times.

    Greenwood's variance Σ d/(n(n − d)), on the scale log(−log S), so that the band
    stays in [0, 1]: S^exp(±z·√variance / log S). It is 1 before the first event, and
    NaN where the curve is 0, where this scale ends.

    Parameters
    ----------
    kaplan_meier : KaplanMeier
    coverage : float

    Returns
    -------
    lower, upper : arrays of shape (K,)
        At ``kaplan_meier.times``.

    References
    ----------
    Kalbfleisch and Prentice (2002), The Statistical Analysis of Failure Time Data,
    2nd edition, section 1.4.

    Examples
    --------
    >>> km = KaplanMeier(([1, 1, 0, 1, 0], [2, 3, 3, 5, 6]))
    >>> lower, upper = greenwood_band(km)
    >>> lower.round(2), upper.round(2)
    (array([0.2 , 0.13, 0.01, 0.01]), array([0.97, 0.88, 0.72, 0.72]))
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    survival = kaplan_meier.survival
    inside = (survival > 0) & (survival < 1)
    end = np.where(survival > 0, 1.0, np.nan)
    lower, upper = end.copy(), end.copy()
    logs = np.log(survival[inside])
    error = np.sqrt(_greenwood_sums(kaplan_meier)[inside])
    width = norm.ppf((1 + coverage) / 2) * error / -logs
    lower[inside] = np.exp(logs * np.exp(width))
    upper[inside] = np.exp(logs * np.exp(-width))
    return lower, upper


def observed_fraction(kaplan_meier: KaplanMeier, time: float) -> float:
    """Return what share of the subjects would tell as much if none were censored.

    The Kaplan–Meier estimate at *time* varies as the share of m subjects who were all
    observed until then: m = S(1 − S) / (Greenwood's variance). This is m/n, 1 without
    censoring before *time*, and 1 where the curve is still 1 or already 0.

    Parameters
    ----------
    kaplan_meier : KaplanMeier
    time : float

    Returns
    -------
    float

    Examples
    --------
    >>> km = KaplanMeier(([1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]))
    >>> round(observed_fraction(km, 1), 3), round(observed_fraction(km, 5), 3)
    (1.0, 0.595)
    """
    place = np.searchsorted(kaplan_meier.times, time, side="right") - 1
    survival = kaplan_meier.survival[place] if place >= 0 else 1.0
    if not 0 < survival < 1:
        return 1.0
    variance = survival**2 * _greenwood_sums(kaplan_meier)[place]
    return float(survival * (1 - survival) / variance / kaplan_meier.n)


def _greenwood_sums(kaplan_meier: KaplanMeier) -> Float:
    """Return Σ d/(n(n − d)) up to each time; it has no meaning where S is 0."""
    at_risk, events = kaplan_meier.at_risk, kaplan_meier.events
    # Only the last time can lose all at risk, and there the curve is 0.
    sums: Float = (events / (at_risk * np.maximum(at_risk - events, 1))).cumsum()
    return sums
