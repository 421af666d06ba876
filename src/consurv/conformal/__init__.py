"""The post-process: from raw percentile times and outcomes to calibrated curves."""

from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustment import Adjustment
from consurv.conformal.base import ConformalSurvival
from consurv.conformal.censoring.from_estimator import FromCurves, FromEstimator
from consurv.conformal.levels import LevelResult, conformal_levels
from consurv.conformal.shifts import ShiftResult, conformal_shifts
from consurv.conformal.store import load_adjustment, save_adjustment

__all__ = [
    "AdjustedCurves",
    "Adjustment",
    "ConformalSurvival",
    "FromCurves",
    "FromEstimator",
    "LevelResult",
    "ShiftResult",
    "adjust",
    "conformal_levels",
    "conformal_shifts",
    "load_adjustment",
    "save_adjustment",
]
