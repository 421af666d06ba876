"""An adjustment without its model, to be applied to percentile times or saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float
from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.levels import LevelResult, times_at
from consurv.conformal.shifts import ShiftResult
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Adjustment"]


@dataclass(frozen=True)
class Adjustment:
    """Shifts or adjusted levels, and the settings that made them.

    ``ConformalSurvival.adjustment_`` makes one; ``restore`` takes it back.

    Attributes
    ----------
    result : ShiftResult or LevelResult
        Shifts of percentile times or adjusted levels, and what they rest on.
    kaplan_meier : KaplanMeier
    conformal_set, censoring, rearrange : str
    n_samples : int or None

    Examples
    --------
    >>> from consurv import ConformalSurvival, Outcome
    >>> y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 0, 1])
    >>> model = ConformalSurvival(lambda X: ([2.0, 4.0], [[0.5, 0.1]] * len(X)),
    ...                           percentiles=3, adjustment="level")
    >>> adjustment = model.conformalize(np.zeros((4, 1)), y).adjustment_
    >>> adjustment.kind
    'level'
    >>> adjustment.apply_to(SurvivalCurves([10.0], [[0.0]])).median()
    array([5.])
    """

    result: ShiftResult | LevelResult
    kaplan_meier: KaplanMeier
    conformal_set: str
    censoring: str
    n_samples: int | None
    rearrange: str

    @property
    def kind(self) -> Literal["time", "level"]:
        """What is adjusted: percentile times are shifted, or levels are moved."""
        return "level" if isinstance(self.result, LevelResult) else "time"

    @property
    def raw_levels(self) -> Float:
        """The levels at which raw curves are read: those of the grid, or the moved."""
        if isinstance(self.result, LevelResult):
            return self.result.adjusted_levels
        return self.result.levels

    def apply(
        self,
        percentile_times: ArrayLike,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times.

        Parameters
        ----------
        percentile_times : array-like of shape (n, P)
            Columns belong to ``raw_levels``.
        random_state : int or Generator, optional
            Used by ``rearrange="bootstrap"`` alone.
        """
        result = self.result
        if isinstance(result, LevelResult):  # nothing is left to shift
            shifts = np.zeros(len(result.levels))
        else:
            shifts = result.shifts
        return adjust(
            percentile_times,
            result.levels,
            shifts,
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def apply_to(
        self,
        curves: SurvivalCurves,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return adjusted curves from raw curves."""
        return self.apply(times_at(curves, self.raw_levels), random_state)
