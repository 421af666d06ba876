"""``"time"``: percentile times shifted by conformal quantiles (CSD, the paper's)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consurv._checks import Float
from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustments.adjustment import Picture
from consurv.conformal.adjustments.shifted import ShiftedAdjustment

__all__ = ["TimeAdjustment"]


@dataclass(frozen=True, kw_only=True)
class TimeAdjustment(ShiftedAdjustment):
    """Shifts b(ρ): the adjusted percentile time is q(ρ|x) − b(ρ).

    Attributes
    ----------
    shifts : ndarray of shape (P,)
    n_subjects, n_infinite, identified
        What they rest on, as in ``ShiftedAdjustment``.

    Examples
    --------
    >>> levels = np.array([0.75, 0.25])
    >>> shifts = TimeAdjustment(levels=levels, shifts=np.array([2.0, 1.0]),
    ...                         n_conformal=8)
    >>> shifts.apply([[3, 9], [1, 7]]).median()
    array([4.5, 3. ])
    """

    kind: ClassVar[str] = "time"
    adjusts: ClassVar[str] = "percentile times (CSD)"
    method: ClassVar[str] = "percentile times shifted by conformal quantiles (CSD)"
    what: ClassVar[str] = "shifts"

    shifts: Float

    @classmethod
    def _numbers(cls, quantiles: Float) -> dict[str, Any]:
        return {"shifts": quantiles}

    def apply(
        self, reading: Any, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times."""
        return adjust(
            reading,
            self.levels,
            self.shifts,
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def attributes(self) -> dict[str, Any]:
        """Return the shifts."""
        return {"shifts_": self.shifts}

    def picture(self) -> Picture:
        """Return shift against level."""
        low, high = self.shifts.min(), self.shifts.max()
        return Picture(
            label="Shift to earlier{unit}",
            values=self.shifts,
            neutral="zero",
            caption="By how much the time at which survival falls to a level was made "
            "earlier, the same for all subjects. Where it is positive the model was "
            "too optimistic.",
            alt=f"Shift against level, from {low:.4g} to {high:.4g} units of time.",
        )
