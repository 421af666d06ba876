"""Metrics: pure functions of outcomes and survival curves.

Each metric takes outcomes and the curves predicted for the same subjects and returns a
frozen result, a kind of :class:`MetricResult`, whose ``float()`` is the metric's one
number. ``METRICS`` holds what is to be known of each, as a :class:`Metric`: name,
label, unit and direction. :func:`evaluate` gives those that are needed most at once.
"""

from consurv.metrics.antolini import (
    AntoliniConcordanceResult,
    antolini_concordance_index,
)
from consurv.metrics.brier import (
    BrierScoreResult,
    brier_score,
    integrated_brier_score,
)
from consurv.metrics.by_group import GroupEvaluation
from consurv.metrics.concordance import (
    ConcordanceResult,
    concordance_index,
    concordance_of_risk,
)
from consurv.metrics.d_calibration import DCalibrationResult, d_calibration
from consurv.metrics.evaluate import Evaluation, evaluate
from consurv.metrics.facts import Metric
from consurv.metrics.group_calibration import (
    GroupCalibrationResult,
    group_calibration,
)
from consurv.metrics.ici import CalibrationIndexResult, integrated_calibration_index
from consurv.metrics.ipcw import CensoringCurve
from consurv.metrics.km_calibration import KMCalibrationResult, km_calibration
from consurv.metrics.mae import MAEResult, mae_hinge, mae_margin, mae_po
from consurv.metrics.one_calibration import OneCalibrationResult, one_calibration
from consurv.metrics.registry import METRICS
from consurv.metrics.results import MetricResult
from consurv.metrics.risk_calibration import (
    RiskCalibrationResult,
    risk_calibration,
)
from consurv.metrics.scorers import CurveScorer, get_scorer, make_scorer
from consurv.metrics.uno import UnoConcordanceResult, uno_concordance_index

__all__ = [
    "METRICS",
    "AntoliniConcordanceResult",
    "BrierScoreResult",
    "CalibrationIndexResult",
    "CensoringCurve",
    "ConcordanceResult",
    "CurveScorer",
    "DCalibrationResult",
    "Evaluation",
    "GroupCalibrationResult",
    "GroupEvaluation",
    "KMCalibrationResult",
    "MAEResult",
    "Metric",
    "MetricResult",
    "OneCalibrationResult",
    "RiskCalibrationResult",
    "UnoConcordanceResult",
    "antolini_concordance_index",
    "brier_score",
    "concordance_index",
    "concordance_of_risk",
    "d_calibration",
    "evaluate",
    "get_scorer",
    "group_calibration",
    "integrated_brier_score",
    "integrated_calibration_index",
    "km_calibration",
    "mae_hinge",
    "mae_margin",
    "mae_po",
    "make_scorer",
    "one_calibration",
    "risk_calibration",
    "uno_concordance_index",
]
