"""Displays: the plots in the manner of scikit-learn, from a model or predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from consurv.conformal.adjustments import Adjustment
from consurv.conformal.estimator import ConformalSurvival
from consurv.errors import InvalidInput
from consurv.report.at_time import plot_calibration_curve, plot_one_calibration
from consurv.report.display import CurvesDisplay, Display
from consurv.report.individual import plot_adjustment, plot_individual_curves
from consurv.report.plots import plot_d_calibration, plot_mean_curve, plot_pp
from consurv.report.risk import plot_risk_calibration

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AdjustmentDisplay",
    "CalibrationCurveDisplay",
    "DCalibrationDisplay",
    "IndividualCurvesDisplay",
    "MeanCurveDisplay",
    "OneCalibrationDisplay",
    "PPPlotDisplay",
    "RiskCalibrationDisplay",
]


@dataclass
class PPPlotDisplay(CurvesDisplay):
    """P–P plot of predicted levels and observed shares.

    The parameters are those of :func:`~consurv.report.plot_pp`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
    >>> ax = Figure().subplots()
    >>> display = PPPlotDisplay.from_predictions(y, curves, n_levels=19, ax=ax)
    >>> display.ax_ is ax
    True
    """

    _plot = staticmethod(plot_pp)
    n_levels: int = 99
    coverage: float = 0.95
    colours: Mapping[str, Any] | None = None


@dataclass
class DCalibrationDisplay(CurvesDisplay):
    """D-calibration histogram.

    The parameters are those of :func:`~consurv.report.plot_d_calibration`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
    >>> display = DCalibrationDisplay(y, {"raw": curves}, n_bins=4)
    >>> len(display.plot(Figure().subplots()).ax_.containers[0])
    4
    """

    _plot = staticmethod(plot_d_calibration)
    n_bins: int = 10
    coverage: float = 0.95
    colours: Mapping[str, Any] | None = None


@dataclass
class MeanCurveDisplay(CurvesDisplay):
    """Mean predicted curve against Kaplan–Meier.

    The parameters are those of :func:`~consurv.report.plot_mean_curve`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 0], [1.0, 4.0, 6.0, 9.0])
    >>> display = MeanCurveDisplay(y, curves, time_unit="days")
    >>> display.plot(Figure().subplots()).ax_.get_xlabel()
    'Time (days)'
    """

    _plot = staticmethod(plot_mean_curve)
    coverage: float = 0.95
    time_unit: str | None = None
    colours: Mapping[str, Any] | None = None


@dataclass
class OneCalibrationDisplay(CurvesDisplay):
    """1-calibration: predicted and observed survival at one time, group by group.

    The parameters are those of :func:`~consurv.report.plot_one_calibration`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> display = OneCalibrationDisplay(y, curves, time=5.0, n_groups=2)
    >>> len(display.plot(Figure().subplots()).ax_.containers[0])
    2
    """

    _plot = staticmethod(plot_one_calibration)
    time: float
    n_groups: int = 10
    coverage: float = 0.95
    time_unit: str | None = None
    colours: Mapping[str, Any] | None = None


@dataclass
class RiskCalibrationDisplay(CurvesDisplay):
    """Calibration by risk: observed and predicted survival of groups over time.

    The parameters are those of :func:`~consurv.report.plot_risk_calibration`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
    >>> display = RiskCalibrationDisplay(y, curves, times=[5.0])
    >>> display.plot(Figure().subplots()).ax_.get_ylabel()
    'Survival in groups by risk'
    """

    _plot = staticmethod(plot_risk_calibration)
    risk: ArrayLike | None = None
    n_groups: int = 5
    times: ArrayLike | None = None
    coverage: float = 0.95
    time_unit: str | None = None
    colours: Mapping[str, Any] | None = None


@dataclass
class CalibrationCurveDisplay(CurvesDisplay):
    """Smooth calibration curve at one time.

    The parameters are those of :func:`~consurv.report.plot_calibration_curve`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> display = CalibrationCurveDisplay(y, curves, time=5.0, n_neighbors=2)
    >>> display.plot(Figure().subplots()).ax_.get_xlabel()
    'Predicted survival at time 5'
    """

    _plot = staticmethod(plot_calibration_curve)
    time: float
    n_neighbors: int | None = None
    coverage: float = 0.95
    time_unit: str | None = None
    colours: Mapping[str, Any] | None = None


@dataclass
class IndividualCurvesDisplay(CurvesDisplay):
    """Curves of a few subjects with their outcomes.

    The parameters are those of :func:`~consurv.report.plot_individual_curves`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.5]])
    >>> display = IndividualCurvesDisplay(([1, 0], [4.0, 6.0]), curves, subjects=[0])
    >>> display.plot(Figure().subplots()).ax_.get_ylabel()
    'Survival probability'
    """

    _plot = staticmethod(plot_individual_curves)
    subjects: int | ArrayLike = 3
    time_unit: str | None = None


@dataclass
class AdjustmentDisplay(Display):
    """What an adjustment has changed, against the level.

    The parameters are those of :func:`~consurv.report.plot_adjustment`. It has no
    ``from_predictions``: an adjustment belongs to a model, not to its predictions.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> import numpy as np
    >>> from consurv.outcome import Outcome
    >>> def model(X):
    ...     return [20.0], [[0.0]] * len(X)
    >>> y = Outcome(time=np.arange(1, 20), event=np.ones(19))
    >>> calibrated = ConformalSurvival(model).conformalize(np.zeros((19, 1)), y)
    >>> display = AdjustmentDisplay.from_estimator(calibrated, ax=Figure().subplots())
    >>> display.ax_.get_xlabel()
    'Survival level ρ'
    """

    _plot = staticmethod(plot_adjustment)
    adjustments: Adjustment | Mapping[str, Adjustment]
    time_unit: str | None = None
    colours: Mapping[str, Any] | None = None

    @classmethod
    def from_estimator(
        cls,
        model: ConformalSurvival,
        X: Any = None,
        y: Any = None,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the adjustment of a conformalized model.

        Parameters
        ----------
        model : ConformalSurvival
            Conformalized.
        X, y : optional
            Not used; here so that all displays are called alike.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            The other parameters of the display; unknown ones are refused.

        Returns
        -------
        The display, drawn.
        """
        if not isinstance(model, ConformalSurvival):
            raise InvalidInput(
                f"model must be a ConformalSurvival, got {type(model).__name__}, which "
                "has no adjustment; an Adjustment goes to AdjustmentDisplay(adjustment)"
            )
        # The model says so itself if it is not conformalized yet.
        adjustment = model.adjustment_
        return cls(adjustment, **cls._with_unit(model, options)).plot(ax)
