"""The post-process: from raw curves and outcomes to calibrated curves."""

from consurv.conformal.adjustments import (
    Adjustment,
    LevelAdjustment,
    LogTimeAdjustment,
    RecalibratedAdjustment,
    TimeAdjustment,
    register_adjustment,
)
from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustments.levels import conformal_levels
from consurv.conformal.adjustments.shifts import conformal_shifts
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.censoring.rules.doubly_robust import DoublyRobust
from consurv.conformal.censoring.rules.from_estimator import FromCurves, FromEstimator
from consurv.conformal.estimator import ConformalSurvival
from consurv.conformal.groups.groups import Groups
from consurv.conformal.keeping.load import load
from consurv.conformal.keeping.store import load_adjustment, save_adjustment

__all__ = [
    "AdjustedCurves",
    "Adjustment",
    "CensoringRule",
    "ConformalSurvival",
    "DoublyRobust",
    "FromCurves",
    "FromEstimator",
    "Groups",
    "LevelAdjustment",
    "LogTimeAdjustment",
    "RecalibratedAdjustment",
    "TimeAdjustment",
    "adjust",
    "conformal_levels",
    "conformal_shifts",
    "load",
    "load_adjustment",
    "register_adjustment",
    "save_adjustment",
]
