"""Stage (a): five numbers that map the time of the raw law, for all subjects alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.conformal.recalibration.shapes import Shapes

__all__ = ["N_NUMBERS", "TimeMap"]

N_NUMBERS = 5
# A delay that would put an event before time 0 leaves this share of its time.
_LEFT = 1e-6


@dataclass(frozen=True)
class TimeMap:
    """log(T' + D) = l̄ + α + e^b (l − l̄) + e^(γ + δ(w − w̄))·e for a raw residual e.

    l is the log raw median and w the log of the log-width. At e = 0 stands the median,
    and e^b > 0: the order of medians is kept whatever the numbers. All 0: the model is
    right.

    Attributes
    ----------
    numbers : ndarray of shape (5,)
        α: all times later; b: contrasts between subjects wider; γ: curves wider; δ:
        those of wide curves more so; κ = D e^(−l̄) ≥ 0: all times earlier by a delay.
    centre : ndarray of shape (2,)
        l̄ and w̄, means over the conformal set.

    Examples
    --------
    >>> half = TimeMap(np.array([np.log(0.5), 0, 0, 0, 0]), np.zeros(2))
    >>> half
    TimeMap(times x 0.5, contrasts x 1, widths x 1, delay 0 medians)
    """

    numbers: Float
    centre: Float

    @property
    def delay(self) -> float:
        """D, in units of time."""
        return float(self.numbers[4] * np.exp(self.centre[0]))

    def place(self, log_median: Float, log_width: Float) -> tuple[Float, Float]:
        """Return location and scale of log(T' + D) of each subject."""
        alpha, b, gamma, delta = self.numbers[:4]
        middle, usual = self.centre
        location = middle + alpha + np.exp(b) * (log_median - middle)
        return location, np.exp(gamma + delta * (log_width - usual))

    def delayed(self, time: Float) -> Float:
        """Return T' + D."""
        return np.maximum(time + self.delay, _LEFT * time)

    def residual(self, shapes: Shapes, time: Float) -> Float:
        """Return the raw residuals e (n,) that are mapped to times (n,)."""
        location, scale = self.place(shapes.log_median, shapes.log_width)
        residual: Float = (np.log(self.delayed(time)) - location) / scale
        return residual

    def __repr__(self) -> str:
        times, contrasts, widths = np.exp(self.numbers[:3])
        return (
            f"TimeMap(times x {times:.3g}, contrasts x {contrasts:.3g}, "
            f"widths x {widths:.3g}, delay {self.numbers[4]:.3g} medians)"
        )
