"""Plots of calibration at one time: groups of subjects, and the smooth curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv._params import Between, check_params
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.metrics.ici import integrated_calibration_index
from consurv.metrics.one_calibration import OneCalibrationResult, one_calibration
from consurv.outcome import Outcome
from consurv.report.bands import binomial_band, observed_fraction
from consurv.report.draw import band_style, bar_centres, draw_bars, draw_lines
from consurv.report.style import (
    OBSERVED,
    NamedCurves,
    axes_or_new,
    finish,
    named_curves,
    styles_for,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["at_time", "plot_calibration_curve", "plot_one_calibration"]

_WIDTH = 0.84  # of a group of bars; groups are 1 apart
_N_POINTS = 101


def plot_one_calibration(
    y: Any,
    curves: NamedCurves,
    time: float,
    *,
    n_groups: int = 10,
    coverage: float = 0.95,
    time_unit: str | None = None,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """1-calibration: predicted and observed survival at one time, group by group.

    Each model sorts the subjects by its own prediction into groups of equal size, the
    highest risk first. A bar is the mean prediction of a group, a diamond the
    Kaplan–Meier estimate in it. The whisker at the bar is what chance alone explains
    (pointwise, binomial); the size of a group is reduced by
    :func:`~consurv.report.bands.observed_fraction` for censoring before *time*.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    time : float
        The time of the comparison, > 0.
    n_groups : int
        Number of groups, 1 to n.
    coverage : float
        Of each whisker.
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
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> ax = Figure().subplots()
    >>> ax = plot_one_calibration(y, curves, 5.0, n_groups=2, ax=ax)
    >>> [float(bar.get_height()) for bar in ax.containers[0]]
    [0.4, 0.8]
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    results = {
        name: one_calibration(outcome, model, time, n_groups=n_groups)
        for name, model in models.items()
    }
    fraction = observed_fraction(KaplanMeier(outcome), time)
    ax = axes_or_new(ax)
    places = bar_centres(np.arange(1.0, n_groups + 1), len(models), _WIDTH)
    for place, (name, result) in zip(places, results.items(), strict=True):
        # Equal predictions may leave fewer groups than were asked for.
        place = place[: len(result.sizes)]
        draw_bars(ax, place, {name: result.expected}, styles, _WIDTH / len(models))
        _draw_observed(ax, place, result, fraction, coverage)
    ax.set(ylim=(0, 1), xticks=_group_ticks(n_groups))
    xlabel = "Group by predicted risk (1 = highest)"
    return finish(ax, xlabel, f"Survival at {at_time(time, time_unit)}", models)


def plot_calibration_curve(
    y: Any,
    curves: NamedCurves,
    time: float,
    *,
    n_neighbors: int | None = None,
    coverage: float = 0.95,
    time_unit: str | None = None,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Smooth calibration curve: observed against predicted survival at one time.

    The curve is that of :func:`~consurv.metrics.integrated_calibration_index`: the
    Kaplan–Meier estimate among *n_neighbors* subjects with similar predictions. Below
    the diagonal the curves are too optimistic. The band around the diagonal is what
    chance alone does to so many subjects (pointwise, binomial), their number reduced
    by :func:`~consurv.report.bands.observed_fraction` for censoring before *time*.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    time : float
        The time of the comparison, > 0.
    n_neighbors : int, optional
        Subjects in a window, 1 to n; by default n^(4/5).
    coverage : float
        Of the band at each prediction.
    time_unit : str, optional
        Such as "months", for the labels.
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
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> ax = Figure().subplots()
    >>> ax = plot_calibration_curve(y, curves, 5.0, n_neighbors=2, ax=ax)
    >>> ax.get_lines()[0].get_ydata()
    array([0.5, 0.5, 0.5])
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    results = {
        name: integrated_calibration_index(
            outcome, model, time, n_neighbors=n_neighbors
        )
        for name, model in models.items()
    }
    fraction = observed_fraction(KaplanMeier(outcome), time)
    ax = axes_or_new(ax)
    draw_lines(ax, {k: (r.predicted, r.observed) for k, r in results.items()}, styles)
    ax.plot([0, 1], [0, 1], color=OBSERVED, lw=0.8, zorder=1, label="ideal")
    size = next(iter(results.values())).n_neighbors  # the same for all
    grid = np.linspace(0, 1, _N_POINTS)
    lower, upper = binomial_band(max(1, round(size * fraction)), grid, coverage)
    ax.fill_between(grid, lower, upper, **band_style(coverage, "by chance"))
    ticks = np.linspace(0, 1, 6)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=ticks, yticks=ticks)
    at = at_time(time, time_unit)
    return finish(ax, f"Predicted survival at {at}", "Observed survival", models)


def _draw_observed(
    ax: Axes, place: Any, result: OneCalibrationResult, fraction: float, coverage: float
) -> None:
    """Draw what was observed in the groups of a model, and what chance explains."""
    sizes = np.maximum(1, np.rint(result.sizes * fraction))
    lower, upper = binomial_band(sizes, result.expected, coverage)
    label = band_style(coverage, "by chance")["label"]
    # A white rim keeps the whisker in sight on a dark bar.
    ax.vlines(place, lower, upper, color="white", lw=2.6)
    ax.vlines(place, lower, upper, color=OBSERVED, lw=1.1, label=label)
    ax.plot(
        place,
        result.observed,
        color=OBSERVED,
        ls="none",
        marker="D",
        ms=4,
        mfc="white",
        zorder=3,
        label="observed",
    )


def _group_ticks(n_groups: int) -> list[int]:
    """Return the numbers of the groups, or some of them where they are many."""
    return list(range(1, n_groups + 1, 1 + (n_groups - 1) // 12))


def at_time(time: float, time_unit: str | None) -> str:
    """Return a time in words, with its unit where that is known.

    Examples
    --------
    >>> at_time(5.0, "years"), at_time(5.0, None)
    ('5 years', 'time 5')
    """
    return f"{time:g} {time_unit}" if time_unit else f"time {time:g}"
