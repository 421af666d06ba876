"""An adjustment without its model, to be applied to percentile times or saved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.shifts import ShiftResult
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Adjustment"]


@dataclass(frozen=True)
class Adjustment:
    """Shifts, the Kaplan–Meier curve behind them and the settings that made them.

    ``ConformalSurvival.adjustment_`` makes one; ``restore`` takes it back.

    Attributes
    ----------
    result : ShiftResult
        Levels and shifts, and what they rest on.
    kaplan_meier : KaplanMeier
    conformal_set, censoring, rearrange : str
    n_samples : int or None
    """

    result: ShiftResult
    kaplan_meier: KaplanMeier
    conformal_set: str
    censoring: str
    n_samples: int | None
    rearrange: str

    def apply(
        self,
        percentile_times: ArrayLike,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times.

        Parameters
        ----------
        percentile_times : array-like of shape (n, P)
            Columns belong to ``result.levels``.
        random_state : int or Generator, optional
            Used by ``rearrange="bootstrap"`` alone.
        """
        return adjust(
            percentile_times,
            self.result.levels,
            self.result.shifts,
            rearrange=self.rearrange,
            random_state=random_state,
        )
