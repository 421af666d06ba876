"""The five metrics of the paper, in the order of its figures and of its Table 2."""

from __future__ import annotations

from consurv.metrics.facts import Metric as Measure
from consurv.metrics.registry import PAPER as MEASURES

__all__ = ["CALIBRATION", "MEASURES", "Measure"]

# Those in which models are held against the Kaplan–Meier dummy.
CALIBRATION = ("d_calibration", "km_calibration")
