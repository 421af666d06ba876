"""The lowest level that covers enough of the calibration subjects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consurv._checks import Float
from consurv.errors import InvalidInput
from consurv.weighting.weights import check_seen

__all__ = ["check_information", "lowest_level", "wanted", "weighted_level"]

# Levels that are looked at together: enough for numpy, few enough to stop early.
_AT_ONCE = 64
# Of more levels than these every m-th is looked at first, then those around the end.
_COARSE = 2048


def wanted(coverage: float, counts: Float) -> float:
    """Return how much must be covered, the new subject counting as one that is not.

    For unit counts it is k = ⌈coverage·(n + 1)⌉ for whole masses, with the guard of all
    conformal ranks: 0.55·100 is 55.

    Examples
    --------
    >>> round(wanted(0.9, np.ones(99)), 6)
    90.0
    """
    total = float(counts.sum())
    new = total / len(counts)
    return coverage * (total + new) * (1 - 1e-13) - (1e-9 + 1e-12 * total)


def lowest_level(
    covered: Callable[[Float], Float],
    candidates: Float,
    target: float,
    coarse: int = _COARSE,
) -> float | None:
    """Return the lowest level at and above which enough is covered; None if none is.

    Parameters
    ----------
    covered : callable
        From levels (m,) to the mass (m,) that they cover.
    candidates : ndarray
        Levels, falling.
    target : float
    coarse : int
        Of more candidates every m-th is looked at first, then those around the end; a
        dip between two of them may be missed.

    Raises
    ------
    InvalidInput
        If the mass is unknown (NaN) at a level that is needed.

    Examples
    --------
    A dip at 0.7 ends the search:

    >>> mass = {0.9: 10.0, 0.8: 9.0, 0.7: 7.0, 0.6: 9.0}
    >>> levels = np.array(list(mass))
    >>> lowest_level(lambda u: np.array([mass[v] for v in u]), levels, 8.0)
    0.8
    """
    stride = -(-len(candidates) // coarse)
    if stride > 1:
        some = candidates[stride - 1 :: stride]
        last = lowest_level(covered, some, target, coarse)
        first = 0 if last is None else int(np.argmax(candidates == last)) + 1
        rest = candidates[first : first + stride]
        finer = lowest_level(covered, rest, target, max(coarse, stride))
        return last if finer is None else finer
    found = None
    for start in range(0, len(candidates), _AT_ONCE):
        some = candidates[start : start + _AT_ONCE]
        mass = covered(some)
        fails = ~(mass >= target)  # NaN fails
        if fails.any():
            first = int(np.argmax(fails))
            check_seen(mass[first : first + 1])
            return float(some[first - 1]) if first else found
        found = float(some[-1])
    return found


def weighted_level(score: Float, weight: Float, most: float) -> float | None:
    """Return the lowest score above which weights of at most *most* lie.

    What ``lowest_level`` finds where every subject has one weight, by sorting.

    Examples
    --------
    >>> weighted_level(np.array([0.9, 0.3, 0.6]), np.array([1.0, 1.0, 2.0]), 1.5)
    0.6
    """
    levels, position = np.unique(score, return_inverse=True)
    weights = np.bincount(position, weights=weight, minlength=len(levels))
    above = np.append(np.cumsum(weights[:0:-1])[::-1], 0.0)
    passes = above <= most
    return float(levels[np.argmax(passes)]) if passes.any() else None


def check_information(coverage: float, effective: float, n: int) -> None:
    """Refuse a coverage that so few subjects cannot tell from 1.

    The k-th of n scores is needed, k = ⌈coverage·(n + 1)⌉ ≤ n: at least
    coverage/(1 − coverage) subjects, whole or in effect.

    Examples
    --------
    >>> check_information(0.9, 8.0, 8)
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: coverage=0.9 needs the information of at least 9 \
subjects; the 8 at hand are worth 8. Calibrate with more, or ask for less coverage
    """
    needed = coverage / (1 - coverage)
    if effective < needed * (1 - 1e-9):
        raise InvalidInput(
            f"coverage={coverage:g} needs the information of at least {needed:.3g} "
            f"subjects; the {n} at hand are worth {effective:.3g}. Calibrate with more,"
            " or ask for less coverage"
        )
