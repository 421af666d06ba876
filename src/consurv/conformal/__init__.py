"""The post-process: from raw percentile times and outcomes to calibrated curves."""

from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustment import Adjustment
from consurv.conformal.base import ConformalSurvival
from consurv.conformal.shifts import ShiftResult, conformal_shifts
from consurv.conformal.store import load_adjustment, save_adjustment

__all__ = [
    "AdjustedCurves",
    "Adjustment",
    "ConformalSurvival",
    "ShiftResult",
    "adjust",
    "conformal_shifts",
    "load_adjustment",
    "save_adjustment",
]
