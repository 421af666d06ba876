"""How much inverse weights and the model differ by chance, if the model is right."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.search import pick
from consurv.weighting.augmentation import grid_of
from consurv.weighting.sample import Sample, before
from consurv.weighting.weights import inverse

__all__ = ["covariance_if_right"]

# Nobody is looked at where G or S is as small; squares of the inverse are finite.
_NOBODY = 1e-60


def covariance_if_right(sample: Sample, q: Float) -> Float:
    """Return the covariance (m, m) of Σ w·(own − θ) at times q (n, m), if S is right.

    A subject whom the model's own curve speaks for differs from θ of AIPCW by
    S(q⁻)·∫ (1/G(u⁻) − 1)/S(u) dM(u) over u < q and u ≤ Y, with M its events less the
    hazard that it has gone through. If S is right M is a martingale, and the variance
    is S(q⁻)²·∫ (1/G(u⁻) − 1)²/(S(u⁻)·S(u)) dΛ(u). It is expected, not counted: where
    more events are seen than the model expects, they do not make the error larger.

    Parameters
    ----------
    sample : Sample
        Censored.
    q : ndarray of shape (n, m)
        Rising from column to column, or falling.

    Examples
    --------
    S falls from 1 to 1/2 at time 1, before which G is 1/2: 1/4·1/(1·1/2)·1/2.

    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([1.0, 3.0], [[0.5, 0.0]], "step")
    >>> g = SurvivalCurves([0.5, 9.0], [[0.5, 0.5]], "step")
    >>> sample = Sample(Outcome(time=[1.5], event=[0]), s, g)
    >>> covariance_if_right(sample, np.array([[2.0]]))
    array([[0.25]])
    """
    time = sample.outcome.time
    grid = grid_of(sample.model, time)
    s = sample.model.survival_at(grid)
    g = before(sample.known_censoring, np.broadcast_to(grid[1:], s[:, 1:].shape))
    more = np.where(g > _NOBODY, inverse(np.maximum(g, _NOBODY)) - 1, 0.0)
    falls = s[:, :-1] - s[:, 1:]
    left = s[:, :-1] ** 2 * s[:, 1:]
    per = np.where(left > _NOBODY, inverse(np.maximum(left, _NOBODY)), 0.0)
    sums = np.pad(np.cumsum(more**2 * falls * per, axis=1), ((0, 0), (1, 0)))
    end = np.minimum(time[:, None], np.nextafter(q, 0.0))
    until = pick(sums, np.searchsorted(grid, end, side="right") - 1)
    scale = before(sample.model, q) * sample.counts[:, None]
    # Two levels have in common what lies before the earlier one.
    common = np.minimum(until[:, :, None], until[:, None, :])
    found: Float = np.einsum("ij,ik,ijk->jk", scale, scale, common)
    return found
