"""Sums over many exp(−exp(v + a)) at many v, without looking at every pair."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves._chebyshev import read_smooth
from consurv.curves.search import row_blocks

__all__ = ["survival_sums"]

# exp(−exp(a)) is 1 to the last bit below the first and 0 above the second.
_ONE, _NOUGHT = -45.0, 7.0


def survival_sums(log_hazard: Float, weights: Float, shifts: Float) -> Float:
    """Return Σₖ wₖ exp(−exp(v + aₖ)) at each of many v, to about 1e-14.

    The sum is an analytic function of v, bounded by Σ wₖ for |Im v| < π/2, so that a
    few dozen points on each piece of the line tell it everywhere: n sums of k terms do
    not cost O(nk). It serves the mean over time, where v is a subject's log risk, and
    the mean over subjects, where it is log H₀.

    Parameters
    ----------
    log_hazard : array of shape (k,)
        aₖ; −inf stands for a term that is always 1.
    weights : array of shape (k,)
        wₖ ≥ 0.
    shifts : array of shape (n,)
        The v; finite.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> survival_sums(np.zeros(1), np.ones(1), np.zeros(2)).round(4)
    array([0.3679, 0.3679])
    """
    never = log_hazard == -np.inf
    constant = weights[never].sum()
    log_hazard, weights = log_hazard[~never], weights[~never]
    if not log_hazard.size or not shifts.size:
        return np.full(len(shifts), constant)

    def direct(v: Float) -> Float:
        total: Float = constant + _direct(log_hazard, weights, v)
        return total

    lowest, highest = _ONE - log_hazard.max(), _NOUGHT - log_hazard.min()
    return read_smooth(direct, np.clip(shifts, lowest, highest), half=1.0)


def _direct(log_hazard: Float, weights: Float, shifts: Float) -> Float:
    out = np.zeros(len(shifts))
    # Terms in pieces too: blocks of a few rows would be short of work.
    for some in row_blocks(len(log_hazard), 2**6):
        a, w = log_hazard[some], weights[some]
        for rows in row_blocks(len(shifts), len(a)):
            terms = shifts[rows, None] + a
            for step in (np.exp, np.negative, np.exp):
                step(terms, out=terms)
            out[rows] += terms @ w
    return out
