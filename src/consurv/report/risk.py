"""Plot of calibration by risk: observed and predicted survival of groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float
from consurv.metrics.risk_calibration import RiskCalibrationResult, risk_calibration
from consurv.outcome import Outcome
from consurv.report.draw import band_style
from consurv.report.style import (
    OBSERVED,
    NamedCurves,
    axes_or_new,
    finish,
    named_curves,
    styles_for,
    time_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from consurv.report.style import Style

__all__ = ["plot_risk_calibration"]


def plot_risk_calibration(
    y: Any,
    curves: NamedCurves,
    *,
    risk: ArrayLike | None = None,
    n_groups: int = 5,
    times: ArrayLike | None = None,
    coverage: float = 0.95,
    time_unit: str | None = None,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Calibration by risk: observed and predicted survival of groups over time.

    A diamond is the Kaplan–Meier survival of a group with its interval, a line the
    mean predicted survival of the same subjects; the number at its end is the group, 1
    at highest risk. All models are shown in the same groups, those of
    :func:`~consurv.metrics.risk_calibration`.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    risk : array-like of shape (n,), optional
        What to group by, higher = earlier; by default minus the medians of the first
        model.
    n_groups, times, coverage
        As in :func:`~consurv.metrics.risk_calibration`.
    time_unit : str, optional
        Such as "months", for the label.
    colours : mapping from names to colours, optional
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], np.zeros((40, 1)))
    >>> y = Outcome(time=np.linspace(0.25, 10, 40), event=np.ones(40))
    >>> ax = plot_risk_calibration(y, curves, times=[5.0], ax=Figure().subplots())
    >>> ax.get_lines()[0].get_xydata().tolist()
    [[0.0, 1.0], [5.0, 0.5]]
    """
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    if risk is None:
        risk = -next(iter(models.values())).median()
    options: dict[str, Any] = {"n_groups": n_groups, "times": times}
    results = {
        name: risk_calibration(outcome, model, risk=risk, coverage=coverage, **options)
        for name, model in models.items()
    }
    ax = axes_or_new(ax)
    for name, result in results.items():
        _draw_predicted(ax, result, name, styles[name])
    _draw_observed(ax, next(iter(results.values())), coverage)
    ax.set(ylim=(0, 1.02), xlim=(0, None))
    label = time_label("Time", time_unit)
    return finish(ax, label, "Survival in groups by risk", models)


def _draw_predicted(
    ax: Axes, result: RiskCalibrationResult, name: str, style: Style
) -> None:
    times = np.append(0.0, result.times)
    for group in result.predicted:
        ax.plot(
            times,
            np.append(1.0, group),
            color=style.colour,
            ls=style.line,
            lw=1.3,
            label=name,
        )


def _draw_observed(ax: Axes, result: RiskCalibrationResult, coverage: float) -> None:
    """Draw what was observed; groups stand a little apart, to be told from others."""
    width = 0.012 * float(result.times[-1])
    steps = width * (np.arange(result.n_groups) - (result.n_groups - 1) / 2)
    label = band_style(coverage, "interval")["label"]
    for g, step in enumerate(steps):
        place: Float = result.times + step
        ax.vlines(
            place, result.lower[g], result.upper[g], color=OBSERVED, lw=0.9, label=label
        )
        ax.plot(
            place,
            result.observed[g],
            color=OBSERVED,
            ls="none",
            marker="D",
            ms=3.5,
            mfc="white",
            zorder=3,
            label="observed",
        )
        ax.annotate(
            str(g + 1),
            (float(result.times[-1]), float(result.predicted[g, -1])),
            xytext=(14, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
