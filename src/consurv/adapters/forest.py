"""Out-of-bag curves of scikit-survival's forests, from their public parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.adapters.adapter import n_rows
from consurv.curves.curves import SurvivalCurves

__all__ = ["ForestOutOfBag", "has_out_of_bag"]

_FORESTS = {"RandomSurvivalForest", "ExtraSurvivalTrees"}
# A row is left out by e⁻¹ = 37 % of the trees; of this many they are still a forest of
# their own, whose curves are hardly rougher than those of all.
_ENOUGH_TREES = 100


def has_out_of_bag(estimator: Any, enough: bool) -> bool:
    """Say whether an estimator is a forest that draws rows, with *enough* trees."""
    names = {kind.__name__ for kind in type(estimator).__mro__}
    if not names & _FORESTS or not estimator.bootstrap:
        return False
    return not enough or estimator.n_estimators >= _ENOUGH_TREES


class ForestOutOfBag:
    """The training rows of a forest as the trees see them that did not draw them.

    A forest's survival curve is the mean of those of its trees; this one is the mean
    over some of them.

    Parameters
    ----------
    forest : object
        Fitted, with ``estimators_`` and ``estimators_samples_``.
    X : table of shape (n, m)
        The rows that it was trained on, in their order.

    Attributes
    ----------
    rows : ndarray of int
        Those that some tree did not draw.
    """

    def __init__(self, forest: Any, X: Any) -> None:
        # Trees were trained on numbers without names, and would warn of names.
        self._X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float32)
        self._forest = forest
        self._out = np.ones((len(forest.estimators_), n_rows(X)), dtype=bool)
        for out, drawn in zip(self._out, forest.estimators_samples_, strict=True):
            out[drawn] = False
        self.rows: Index = np.flatnonzero(self._out.any(axis=0))

    def curves(self, rows: Index) -> SurvivalCurves:
        """Return the curves of some of ``rows``."""
        times = self._forest.unique_times_
        total = np.zeros((len(rows), len(times)))
        for tree, out in zip(self._forest.estimators_, self._out, strict=True):
            asked = np.flatnonzero(out[rows])
            if asked.size:
                found = tree.predict_survival_function(
                    self._X[rows[asked]], return_array=True
                )
                total[asked] += found
        mean = total / self._out[:, rows].sum(axis=0)[:, None]
        return SurvivalCurves(times, mean, interpolation="step")
