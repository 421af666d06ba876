"""``"log-time"``: percentile times multiplied by conformal quantiles of T/q."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from consurv._checks import Float
from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustments.adjustment import Picture
from consurv.conformal.adjustments.shifted import ShiftedAdjustment
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.reading.raw_model import RawModel
from consurv.errors import InvalidInput

__all__ = ["LogTimeAdjustment"]

# A percentile time of 0 stands at this share of the subject's observed time: its score
# is beyond all others, whatever the unit.
_NOTHING = 2.0**-40


@dataclass(frozen=True, kw_only=True)
class LogTimeAdjustment(ShiftedAdjustment):
    """Factors f(ρ): the adjusted percentile time is f(ρ)·q(ρ|x).

    Scores −T/q have the order of log q − log T, and f = −b for their conformal
    quantile b: a shift of log time, the same for all subjects. So it mends what is
    wrong in proportion, where a shift of time would move early and late subjects alike.
    The theorem is that of shifts; the order of subjects by percentile times at a level
    is kept where no row is rearranged, that of means need not be. No time falls
    below 0.

    Attributes
    ----------
    factors : ndarray of shape (P,)
    n_subjects, n_infinite, identified
        As in ``TimeAdjustment``.

    Examples
    --------
    >>> levels = np.array([0.75, 0.25])
    >>> half = LogTimeAdjustment(levels=levels, factors=np.array([0.5, 0.5]),
    ...                          n_conformal=8)
    >>> half.apply(np.array([[4.0, 8.0], [2.0, 10.0]])).median()
    array([3., 3.])
    """

    kind: ClassVar[str] = "log-time"
    adjusts: ClassVar[str] = "percentile times, by factors"
    method: ClassVar[str] = "percentile times multiplied by conformal quantiles"
    what: ClassVar[str] = "factors"
    _proportional: ClassVar[bool] = True

    factors: Float

    @classmethod
    def read(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> Block:
        """Return conformal subjects with their percentile times, all positive."""
        block = super().read(raw, data, levels, in_training=in_training)
        nothing = block.reading <= 0
        if not nothing.any():
            return block
        tiny = _NOTHING * block.outcome.time[:, None]
        return replace(block, reading=np.where(nothing, tiny, block.reading))

    @classmethod
    def _numbers(cls, quantiles: Float) -> dict[str, Any]:
        # Nothing moves where no score could be told.
        told = np.isfinite(quantiles) & (quantiles < 0)
        return {"factors": np.where(told, -quantiles, 1.0)}

    def apply(
        self, reading: Any, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times."""
        # A quantile regression may say less than 0.
        times = np.maximum(np.asarray(reading, dtype=np.float64), 0.0) * self.factors
        return adjust(
            times,
            self.levels,
            np.zeros(len(self.levels)),
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def attributes(self) -> dict[str, Any]:
        """Return the factors."""
        return {"factors_": self.factors}

    def picture(self) -> Picture:
        """Return factor against level."""
        low, high = self.factors.min(), self.factors.max()
        return Picture(
            label="Factor of time",
            values=self.factors,
            neutral="one",
            caption="What the time at which survival falls to a level was multiplied "
            "by, the same for all subjects. Below one the model was too optimistic.",
            alt=f"Factor against level, from {low:.4g} to {high:.4g}.",
        )

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        if arrays["factors"].min() <= 0:
            raise InvalidInput(f"factors must be > 0: {arrays['factors'].tolist()}")
        return super()._checked(arrays)
