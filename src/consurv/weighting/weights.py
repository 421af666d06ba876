"""Inverse probabilities of not being censored: clipped only as asked, always told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.errors import InvalidInput
from consurv.keep.classes import KeptByAttributes
from consurv.weighting.sample import Sample, before

__all__ = ["Weights", "check_seen", "inverse", "largest_inverse", "weigh"]


@dataclass(frozen=True)
class Weights(KeptByAttributes):
    """What there is to know of the weights that a bound rests on.

    Attributes
    ----------
    n : int
        Subjects that weigh more than nothing.
    largest : float
        The largest weight, where 1 is a subject that counts for itself.
    effective_sample_size : float
        (Σw)²/Σw²: as many equal weights tell as much.
    n_clipped : int
        How many were clipped; 0 unless asked for.

    Examples
    --------
    >>> Weights(n=3, largest=2.0, effective_sample_size=2.6).n_clipped
    0
    """

    n: int
    largest: float
    effective_sample_size: float
    n_clipped: int = 0


def weigh(weight: Float, n_clipped: int = 0) -> Weights:
    """Sum weights up.

    Examples
    --------
    >>> weigh(np.array([0.0, 1.0, 3.0]))
    Weights(n=2, largest=3.0, effective_sample_size=1.6, n_clipped=0)
    """
    some = weight[weight > 0]
    if not some.size:
        return Weights(0, 0.0, 0.0, n_clipped)
    size = float(some.sum() ** 2 / (some**2).sum())
    return Weights(len(some), float(some.max()), size, n_clipped)


def inverse(probability: Float, most: float = np.inf) -> Float:
    """Return 1/p, *most* at most; NaN where p is 0 and nothing is clipped.

    Examples
    --------
    >>> inverse(np.array([0.5, 0.0])), inverse(np.array([0.5, 0.0]), 4.0)
    (array([ 2., nan]), array([2., 4.]))
    """
    seen = probability > 0
    none = most if np.isfinite(most) else np.nan
    return np.where(seen, np.minimum(1 / np.where(seen, probability, 1.0), most), none)


def check_seen(weight: Float) -> Float:
    """Return weights that are all known, or refuse."""
    bad = int(np.count_nonzero(np.isnan(weight)))
    if bad:
        raise InvalidInput(
            f"the censoring model gives G = 0 at {bad} of {weight.size} times at which "
            "it is needed: by it nobody could have been seen there. Give another "
            "censoring_model, clip the weights (clip=0.9) or ask for less coverage"
        )
    return weight


def largest_inverse(sample: Sample, clip: float | None) -> float:
    """Return the *clip*-quantile of 1/G(Y⁻) among events; inf where it is None."""
    if clip is None or sample.censoring is None:
        return np.inf
    event = sample.outcome.event
    g = before(sample.censoring[event], sample.outcome.time[event][:, None])[:, 0]
    seen = g[g > 0]
    if not seen.size:
        raise InvalidInput(
            f"clip={clip:g} is a quantile of 1/G among events, of which there is none "
            "with G > 0; give another censoring_model"
        )
    return float(np.quantile(1 / seen, clip))
