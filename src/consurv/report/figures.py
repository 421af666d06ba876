"""The figures of a report, as images that live inside the page."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv.conformal.adjustments import Adjustment
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import MissingDependency
from consurv.metrics.d_calibration import DCalibrationResult
from consurv.outcome import Outcome
from consurv.report.at_time import at_time, plot_one_calibration
from consurv.report.bootstrap import Comparison
from consurv.report.individual import plot_adjustment, plot_individual_curves
from consurv.report.plots import plot_d_calibration, plot_mean_curve, plot_pp
from consurv.report.risk import plot_risk_calibration
from consurv.report.verdict import largest_gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Figure", "draw_figures"]

_SIZE = (4.4, 3.7)
# Glyphs as outlines: no font is needed where the report is read. The salt makes the
# names inside the file, and so the file, the same every time.
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "consurv",
    "font.size": 10,
}
_SUBJECTS_PER_GROUP = 20


@dataclass(frozen=True)
class Figure:
    """A figure of the report.

    Attributes
    ----------
    title, caption : str
        What is shown, and how to read it.
    alt : str
        What is to be seen, for those who do not see it.
    source : str
        The image itself, as a data address.
    """

    title: str
    caption: str
    alt: str
    source: str


def draw_figures(
    y: Outcome,
    raw: SurvivalCurves,
    calibrated: SurvivalCurves,
    comparison: Comparison,
    adjustment: Adjustment,
    time_unit: str | None = None,
) -> list[Figure]:
    """Draw all figures of a report; 1-calibration is left out where y has weights.

    Parameters
    ----------
    y : Outcome
        Of n subjects.
    raw, calibrated : SurvivalCurves
        Of the same subjects.
    comparison : Comparison
        Their metrics, for the descriptions.
    adjustment : Adjustment
        What was changed.
    time_unit : str, optional
        For the axes.

    Returns
    -------
    list of Figure

    Raises
    ------
    MissingDependency
        If matplotlib is not installed.
    """
    scene = _Scene(y, {"raw": raw, "calibrated": calibrated}, comparison, time_unit)
    # Tests within groups by their counts of subjects: not for weights.
    at_a_time = [_one_calibration(scene)] if y.weight is None else []
    return [
        _pp(scene),
        _d_calibration(scene),
        _mean_curve(scene),
        *at_a_time,
        _risk_calibration(scene),
        _individual_curves(scene),
        _adjustment(adjustment, time_unit),
    ]


@dataclass(frozen=True)
class _Scene:
    """What the figures are drawn from."""

    y: Outcome
    curves: dict[str, SurvivalCurves]
    comparison: Comparison
    time_unit: str | None

    @property
    def d_calibrations(self) -> tuple[DCalibrationResult, DCalibrationResult]:
        both = self.comparison
        return both.raw.d_calibration, both.calibrated.d_calibration


def _pp(scene: _Scene) -> Figure:
    before, after = map(largest_gap, scene.d_calibrations)
    return Figure(
        "Are the probabilities right?",
        "The share of subjects whose event came when their own curve was at or below a "
        "level, against the level. Right curves follow the diagonal; below it they are "
        "too optimistic.",
        f"P–P plot. Raw curves leave the diagonal by up to {before:.3f}, calibrated "
        f"curves by up to {after:.3f}.",
        _image(lambda ax: plot_pp(scene.y, scene.curves, ax=ax)),
    )


def _d_calibration(scene: _Scene) -> Figure:
    before, after = (_range(result.histogram) for result in scene.d_calibrations)
    return Figure(
        "Where do events fall on the curves?",
        "D-calibration: the share of subjects in each tenth of predicted survival at "
        "the event, the censored spread over what remains. Right curves put a tenth "
        "into every bin.",
        f"Histogram of ten bins. Raw shares range from {before}, calibrated ones from "
        f"{after}; each should be 10%.",
        _image(lambda ax: plot_d_calibration(scene.y, scene.curves, ax=ax)),
    )


def _mean_curve(scene: _Scene) -> Figure:
    before = float(scene.comparison.raw.km_calibration)
    after = float(scene.comparison.calibrated.km_calibration)
    return Figure(
        "Is survival right on average?",
        "The mean of all predicted curves and the Kaplan–Meier curve of what was "
        "observed. KM-cal is the mean square of their distance.",
        "Mean raw and mean calibrated curve with the Kaplan–Meier curve. KM-cal is "
        f"{before:.3g} raw and {after:.3g} calibrated.",
        _image(
            lambda ax: plot_mean_curve(
                scene.y, scene.curves, time_unit=scene.time_unit, ax=ax
            )
        ),
    )


def _one_calibration(scene: _Scene) -> Figure:
    y = scene.y
    time = float(f"{_middle(y):.4g}")  # as it is written
    n_groups = int(np.clip(len(y) // _SUBJECTS_PER_GROUP, 2, 10))

    def draw(ax: Axes) -> None:
        plot_one_calibration(
            y,
            scene.curves,
            time,
            n_groups=n_groups,
            time_unit=scene.time_unit,
            ax=ax,
        )

    at = at_time(time, scene.time_unit)
    return Figure(
        "Is survival right for high and low risk?",
        f"1-calibration at {at}: bars are mean predictions in groups by "
        "predicted risk, diamonds what was observed there.",
        f"Bars of predicted and diamonds of observed survival at {at} in "
        f"{n_groups} groups by predicted risk, raw and calibrated.",
        _image(draw),
    )


def _risk_calibration(scene: _Scene) -> Figure:
    risk = -scene.curves["raw"].median()
    before, after = (
        result.risk_calibration.worst
        for result in (scene.comparison.raw, scene.comparison.calibrated)
    )
    return Figure(
        "Is survival right at every risk?",
        "Calibration by risk: lines are mean predictions in groups of raw risk (1 is "
        "the highest), diamonds what was observed there, with its interval.",
        "Lines of predicted and diamonds of observed survival over time in groups by "
        f"risk. The largest gap is {abs(before.gap):.1%} raw, in group "
        f"{before.group + 1}, and {abs(after.gap):.1%} calibrated, in group "
        f"{after.group + 1}.",
        _image(
            lambda ax: plot_risk_calibration(
                scene.y, scene.curves, risk=risk, time_unit=scene.time_unit, ax=ax
            )
        ),
    )


def _individual_curves(scene: _Scene) -> Figure:
    return Figure(
        "What happens to single curves?",
        "Subjects of short, middling and long predicted survival with what was "
        "observed of them (#: row of the data, from 0). A filled mark is an event; an "
        "open one a censoring, after which the event comes later.",
        "Survival curves of a few subjects, raw and calibrated, with their outcomes.",
        _image(
            lambda ax: plot_individual_curves(
                scene.y, scene.curves, time_unit=scene.time_unit, ax=ax
            )
        ),
    )


def _adjustment(adjustment: Adjustment, time_unit: str | None) -> Figure:
    picture = adjustment.picture()
    pooled = "" if adjustment.groups is None else " Of all groups together."
    return Figure(
        "What was changed?",
        picture.caption + pooled,
        picture.alt,
        _image(lambda ax: plot_adjustment(adjustment, time_unit=time_unit, ax=ax)),
    )


def _middle(y: Outcome) -> float:
    """Return the median time, or that of the events if survival stays above 0.5."""
    km = KaplanMeier(y)
    median = float(km.percentile_times([0.5])[0])
    return median if median <= km.t_max else float(np.median(y.time[y.event]))


def _range(histogram: Any) -> str:
    shares = histogram / histogram.sum()
    return f"{shares.min():.1%} to {shares.max():.1%}"


def _image(draw: Callable[[Axes], Any]) -> str:
    """Return what *draw* draws as an SVG image in a data address."""
    try:
        from matplotlib import figure, rc_context
    except ImportError as error:
        raise MissingDependency("matplotlib", "report") from error
    file = BytesIO()
    with rc_context(_STYLE):
        page = figure.Figure(figsize=_SIZE, layout="constrained")
        draw(page.subplots())
        page.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
