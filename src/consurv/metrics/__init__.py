"""Metrics: pure functions of outcomes and survival curves.

Each metric lives in a file of its own, checks its input through ``_inputs`` and
returns a frozen result, a kind of :class:`MetricResult`, whose ``float()`` is the
metric's one number. A new metric is one new file and one line here.
"""

from consurv.metrics.concordance import (
    ConcordanceResult,
    concordance_index,
    concordance_of_risk,
)
from consurv.metrics.d_calibration import DCalibrationResult, d_calibration
from consurv.metrics.results import MetricResult

__all__ = [
    "ConcordanceResult",
    "DCalibrationResult",
    "MetricResult",
    "concordance_index",
    "concordance_of_risk",
    "d_calibration",
]
