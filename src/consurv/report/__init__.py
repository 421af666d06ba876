"""What a model's curves are worth, to look at: plots, displays and the report.

``write_report`` puts everything about a calibrated model into one HTML file. The
functions ``plot_*`` draw into an Axes and return it; the displays do the same for
a fitted model in the manner of scikit-learn. matplotlib and jinja2 are needed only
when a plot or a report is made.
"""

from consurv.report.at_time import plot_calibration_curve, plot_one_calibration
from consurv.report.display import predicted_curves
from consurv.report.displays import (
    AdjustmentDisplay,
    CalibrationCurveDisplay,
    DCalibrationDisplay,
    IndividualCurvesDisplay,
    MeanCurveDisplay,
    OneCalibrationDisplay,
    PPPlotDisplay,
    RiskCalibrationDisplay,
)
from consurv.report.html import write_report
from consurv.report.individual import plot_adjustment, plot_individual_curves
from consurv.report.plots import plot_d_calibration, plot_mean_curve, plot_pp
from consurv.report.risk import plot_risk_calibration

__all__ = [
    "AdjustmentDisplay",
    "CalibrationCurveDisplay",
    "DCalibrationDisplay",
    "IndividualCurvesDisplay",
    "MeanCurveDisplay",
    "OneCalibrationDisplay",
    "PPPlotDisplay",
    "RiskCalibrationDisplay",
    "plot_adjustment",
    "plot_calibration_curve",
    "plot_d_calibration",
    "plot_individual_curves",
    "plot_mean_curve",
    "plot_one_calibration",
    "plot_pp",
    "plot_risk_calibration",
    "predicted_curves",
    "write_report",
]
