"""Kaplan–Meier as a model: the same curve for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.models.model import Data, SurvivalModel

__all__ = ["KaplanMeierModel"]


class KaplanMeierModel(SurvivalModel):
    """The dummy model: every subject gets the Kaplan–Meier curve of the training set.

    Features are only counted. It ranks nobody (C-index 0.5) and is as calibrated as
    the number of subjects allows, so that others can be measured by it.

    Attributes
    ----------
    kaplan_meier_ : KaplanMeier

    Examples
    --------
    >>> X, y = np.zeros((4, 1)), ([1, 1, 0, 1], [2, 3, 3, 5])
    >>> model = KaplanMeierModel().fit(X, y)
    >>> model.predict_survival_function(X[:2]).survival_at([3])
    array([[0.5],
           [0.5]])
    """

    def _fit(self, data: Data, validation: Data | None) -> None:
        self.kaplan_meier_ = KaplanMeier(data[1])

    def _predict_chunks(self, features: NDArray[Any]) -> Iterator[SurvivalCurves]:
        # All rows at once: they share one curve, which is stored only once.
        yield self._predict_rows(features)

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        n, km = len(features), self.kaplan_meier_
        times, survival = np.append(0.0, km.times), np.append(1.0, km.survival)
        shape = (n, len(times))
        return SurvivalCurves._trusted(times, np.broadcast_to(survival, shape), "step")
