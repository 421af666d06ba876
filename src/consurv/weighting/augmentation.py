"""The part of AIPCW that the event model fills in, summed once for all levels."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index
from consurv.curves.curves import SurvivalCurves
from consurv.curves.search import pick
from consurv.weighting.sample import before
from consurv.weighting.weights import inverse

__all__ = ["Augmentation", "grid_of"]

# Nodes for censoring curves that have none in common: quantiles of observed times.
_NODES = 400


def grid_of(curves: SurvivalCurves, time: Float) -> Float:
    """Return times (k,), from 0 on, at which sums over curves are taken.

    The drops of step curves that share them; else quantiles of the observed times.
    """
    if curves.interpolation == "step" and curves.times.ndim == 1:
        grid = curves.times
    else:
        grid = np.quantile(time, np.linspace(0, 1, min(_NODES, len(time))))
    return np.unique(np.append(0.0, grid))


class Augmentation:
    """A(t) = Σ_{u ≤ t} d(1/G(u))/S(u) of each subject, at any times.

    Drops of G count with S at the drop. Between the nodes of smooth curves 1/S is taken
    as the mean of both ends. Whatever S, the increments of 1/G telescope: with S ≡ 1
    it is 1/G(t) − 1 to rounding.

    Parameters
    ----------
    censoring, event : SurvivalCurves
        G and S of n subjects.
    time : ndarray of shape (n,)
        Observed times, which smooth curves take their nodes from.
    most : float
        1/G is clipped there.

    Examples
    --------
    >>> g = SurvivalCurves([1.0, 2.0], [[0.5, 0.25]], "step")
    >>> s = SurvivalCurves([4.0], [[0.0]])
    >>> sums = Augmentation(g, s, np.array([3.0]))
    >>> sums.until(np.array([[0.5, 1.0, 3.0]]))  # 0, 1/0.75, 1/0.75 + 2/0.5
    array([[0.        , 1.33333333, 5.33333333]])
    """

    def __init__(
        self,
        censoring: SurvivalCurves,
        event: SurvivalCurves,
        time: Float,
        most: float = np.inf,
    ) -> None:
        self._censoring, self._event, self._most = censoring, event, most
        self._grid = grid_of(censoring, time)
        self._smooth = censoring.interpolation != "step"
        # Where G is 0 the sums stay as they are; who asks beyond is refused elsewhere.
        self._inverse = self._inverses(censoring.survival_at(self._grid))
        np.maximum.accumulate(self._inverse, axis=1, out=self._inverse)
        self._rate = _rates(event.survival_at(self._grid))
        rate = self._mean(self._rate[:, :-1], self._rate[:, 1:])
        steps = np.diff(self._inverse, axis=1) * rate
        self._sums = np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))

    def _inverses(self, g: Float) -> Float:
        return np.nan_to_num(inverse(g, self._most), nan=1.0)

    def _mean(self, left: Float, right: Float) -> Float:
        return (left + right) / 2 if self._smooth else right

    def until(self, times: Float) -> Float:
        """Return A(t) (n, m) at times (n, m)."""
        node = np.searchsorted(self._grid, times, side="right") - 1
        g = self._censoring._form.survival_at(times)
        return self._at(node, g, self._event._form.survival_at(times))

    def before(self, times: Float) -> Float:
        """Return A(t⁻) (n, m) at times (n, m), 0 at time 0."""
        node = np.maximum(np.searchsorted(self._grid, times, side="left") - 1, 0)
        g, s = before(self._censoring, times), before(self._event, times)
        return self._at(node, g, s)

    def _at(self, node: Index, g: Float, s: Float) -> Float:
        """Return the sums at a node and what there is from it to a time."""
        more = np.maximum(self._inverses(g) - pick(self._inverse, node), 0.0)
        # Step curves lie still between nodes, and fall in a line after the last.
        rate = (pick(self._rate, node) + _rates(s)) / 2
        return pick(self._sums, node) + more * rate


def _rates(survival: Float) -> Float:
    # Where S is 0 nobody is at risk, and what is summed there is multiplied by 0.
    return np.nan_to_num(inverse(survival), nan=0.0)
