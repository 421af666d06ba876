"""Plots of calibration: functions that draw into an Axes and return it.

Every function takes ``curves`` as SurvivalCurves, or as a mapping from names to them,
such as ``{"raw": before, "calibrated": after}``, and draws all models into one Axes.
matplotlib is imported when the first plot is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv._checks import Float, Index
from consurv._params import AtLeast, Between, check_params
from consurv.curves.average import mean_survival
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.metrics import d_calibration
from consurv.outcome import Outcome
from consurv.report.bands import binomial_band, greenwood_band
from consurv.report.draw import band_style, draw_bars, draw_lines
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

__all__ = ["plot_d_calibration", "plot_mean_curve", "plot_pp"]

_N_TIMES = 201
_MAX_STEPS = 1000  # more cannot be seen, but would fill a file


def plot_pp(
    y: Any,
    curves: NamedCurves,
    *,
    n_levels: int = 99,
    coverage: float = 0.95,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """P–P plot: the observed share of S(t_i) ≤ ρ against the level ρ.

    The shares are those of :func:`~consurv.metrics.d_calibration`, censored subjects
    split. A calibrated model follows the diagonal. Below it, events come earlier than
    the curves say, which are too optimistic; above it, too pessimistic. The band is
    the pointwise binomial one of :func:`~consurv.report.bands.binomial_band`, for
    that many subjects without censoring; with censoring it is too wide.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    n_levels : int
        Number of levels, i/(n_levels + 1); 19 are the default percentiles.
    coverage : float
        Of the band at each level.
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
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
    >>> ax = plot_pp(y, {"raw": curves}, ax=Figure().subplots())
    >>> ax.get_xlabel()
    'Predicted level ρ'
    """
    check_params(
        {"n_levels": n_levels, "coverage": coverage},
        {"n_levels": AtLeast(1), "coverage": Between(0, 1)},
    )
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    results = {
        name: d_calibration(outcome, model, n_bins=n_levels + 1)
        for name, model in models.items()
    }
    ax = axes_or_new(ax)
    levels = np.arange(1, n_levels + 1) / (n_levels + 1)
    lower, upper = binomial_band(len(outcome), levels, coverage)
    lines = {name: (levels, result.cumulative) for name, result in results.items()}
    draw_lines(ax, lines, styles)
    ax.plot([0, 1], [0, 1], color=OBSERVED, lw=0.8, zorder=1, label="ideal")
    ax.fill_between(levels, lower, upper, **band_style(coverage, "by chance"))
    ticks = np.linspace(0, 1, 6)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=ticks, yticks=ticks)
    return finish(ax, "Predicted level ρ", "Observed share ≤ ρ", models)


def plot_d_calibration(
    y: Any,
    curves: NamedCurves,
    *,
    n_bins: int = 10,
    coverage: float = 0.95,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """D-calibration histogram: the share of subjects in each bin of S(t_i).

    All bins hold the same share if the model is calibrated. Models stand side by side.
    The band is that of :func:`plot_pp`, for one bin.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    n_bins : int
        Number of bins of equal width, ≥ 2.
    coverage : float
        Of the band at each bin.
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
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
    >>> ax = plot_d_calibration(y, curves, n_bins=4, ax=Figure().subplots())
    >>> [float(bar.get_height()) for bar in ax.containers[0]]
    [0.25, 0.25, 0.25, 0.25]
    """
    check_params(
        {"n_bins": n_bins, "coverage": coverage},
        {"n_bins": AtLeast(2), "coverage": Between(0, 1)},
    )
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    results = {
        name: d_calibration(outcome, model, n_bins=n_bins)
        for name, model in models.items()
    }
    ax = axes_or_new(ax)
    shares = {name: r.histogram / len(outcome) for name, r in results.items()}
    draw_bars(ax, (np.arange(n_bins) + 0.5) / n_bins, shares, styles, 0.86 / n_bins)
    ax.axhline(1 / n_bins, color=OBSERVED, lw=0.8, label="ideal")
    lower, upper = binomial_band(len(outcome), [1 / n_bins], coverage)
    ax.axhspan(lower[0], upper[0], **band_style(coverage, "by chance"))
    ax.set(xlim=(0, 1), xticks=np.linspace(0, 1, 6))
    xlabel = "Predicted survival S(t) at the outcome"
    return finish(ax, xlabel, "Share of subjects", models)


def plot_mean_curve(
    y: Any,
    curves: NamedCurves,
    *,
    coverage: float = 0.95,
    time_unit: str | None = None,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Mean of the predicted curves against the Kaplan–Meier curve of the outcomes.

    The mean of calibrated curves lies near Kaplan–Meier; their distance is
    KM-calibration. The band is Kaplan–Meier's own, pointwise, by Greenwood's variance
    on the log(−log) scale (:func:`~consurv.report.bands.greenwood_band`).

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    coverage : float
        Of the band at each time.
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
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 0], [1.0, 4.0, 6.0, 9.0])
    >>> ax = plot_mean_curve(y, curves, time_unit="months", ax=Figure().subplots())
    >>> ax.get_xlabel()
    'Time (months)'
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    styles = styles_for(models, colours)
    km = KaplanMeier(outcome)
    times = np.linspace(0, km.t_max, _N_TIMES)
    means = {name: mean_survival(model, times) for name, model in models.items()}
    ax = axes_or_new(ax)
    draw_lines(ax, {name: (times, mean) for name, mean in means.items()}, styles)
    shown = _visible(km.times)
    steps = np.append(0.0, km.times[shown])
    survival, lower, upper = (
        np.append(1.0, part[shown])
        for part in (km.survival, *greenwood_band(km, coverage))
    )
    label = "Kaplan–Meier"
    ax.step(
        steps, survival, where="post", color=OBSERVED, lw=1.2, zorder=1, label=label
    )
    ax.fill_between(steps, lower, upper, step="post", **band_style(coverage, "band"))
    ax.set(xlim=(0, km.t_max), ylim=(0, 1.01))
    return finish(ax, time_label("Time", time_unit), "Survival probability", models)


def _visible(times: Float) -> Index:
    """Return which of ascending times to draw: all, or the last of each pixel or so."""
    if times.size <= _MAX_STEPS:
        return np.arange(times.size)
    ends = np.linspace(times[0], times[-1], _MAX_STEPS)
    return np.unique(np.searchsorted(times, ends, side="right") - 1)
