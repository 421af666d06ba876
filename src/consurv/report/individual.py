"""Plots of single subjects' curves, and of the shifts that adjust them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, Index, as_floats, as_plain_array
from consurv._params import AtLeast, check_params
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.adjustments.adjustment import Picture
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.report.draw import draw_lines
from consurv.report.style import (
    OBSERVED,
    NamedCurves,
    Style,
    as_named,
    axes_or_new,
    finish,
    named_curves,
    styles_for,
    time_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_adjustment", "plot_individual_curves"]

_N_TIMES = 401


def plot_individual_curves(
    y: Any,
    curves: NamedCurves,
    *,
    subjects: int | ArrayLike = 3,
    time_unit: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Survival curves of a few subjects with what was observed of them.

    A colour and a marker are a subject, named by its position; a line style is a model.
    The marker is filled where the event happened, and open where the subject was
    censored: its event comes later.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves or mapping from names to SurvivalCurves
        The predicted curves of the same n subjects, of one model or of several.
    subjects : int or array-like of int
        Positions of the subjects; or how many, spread evenly over the order of the
        predicted medians of the first model.
    time_unit : str, optional
        Such as "months", for the label.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.5]])
    >>> y = ([1, 0], [4.0, 6.0])
    >>> ax = plot_individual_curves(y, curves, subjects=[1], ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[0].get_text()
    '#1, censored'
    """
    outcome = Outcome.of(y)
    models = named_curves(curves, len(outcome))
    rows = _choose(subjects, next(iter(models.values())))
    lines = styles_for(models)
    ax = axes_or_new(ax)
    end = float(outcome.time.max())
    for name in models if len(models) > 1 else ():
        ax.plot([], [], color=OBSERVED, ls=lines[name].line, label=name)
    for row, subject in zip(rows, styles_for(map(str, rows)).values(), strict=True):
        kind = "event" if outcome.event[row] else "censored"
        marked = _marker(subject, filled=kind == "event")
        ax.plot([], [], label=f"#{row}, {kind}", **marked)
        for name, model in models.items():
            curve = model[[row]]
            _draw_curve(ax, curve, end, color=subject.colour, ls=lines[name].line)
            time = outcome.time[[row]]
            survival = curve.survival_at_observed(time)
            ax.plot(time, survival, zorder=3, clip_on=False, **marked)
    ax.set(xlim=(0, 1.04 * end), ylim=(0, 1.02))
    return finish(ax, time_label("Time", time_unit), "Survival probability")


def plot_adjustment(
    adjustments: Adjustment | Mapping[str, Adjustment],
    *,
    time_unit: str | None = None,
    colours: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what an adjustment has changed, against the level ρ.

    For shifts of times, b(ρ): where it is positive the model was too optimistic. For
    moved levels, ρ*: where it lies above the diagonal the model was too optimistic.
    Every kind brings its own picture. Crosses mark levels beyond the guarantee, for
    which the conformal set is too small.

    Parameters
    ----------
    adjustments : Adjustment or mapping from names to Adjustment
        Such as ``model.adjustment_``; all of one kind.
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
    >>> from consurv.conformal import TimeAdjustment
    >>> shifts = TimeAdjustment(
    ...     levels=np.array([0.5, 0.9]),
    ...     shifts=np.array([1.5, -2.0]),
    ...     beyond=np.array([False, True]),
    ...     n_conformal=8,
    ... )
    >>> ax = plot_adjustment(shifts, ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[-1].get_text()
    'without guarantee'
    """
    named = as_named(
        adjustments,
        Adjustment,  # type: ignore[type-abstract]
        "adjustments",
    )
    kinds = sorted({adjustment.kind for adjustment in named.values()})
    if len(kinds) > 1:
        raise InvalidInput(
            f"adjustments are of the kinds {', '.join(kinds)}, which do not share an "
            "axis; draw each kind for itself"
        )
    pictures = {name: adjustment.picture() for name, adjustment in named.items()}
    first = next(iter(pictures.values()))
    ax = axes_or_new(ax)
    ax.plot([0, 1], _NEUTRAL[first.neutral], color=OBSERVED, lw=0.8)
    lines, marked, shades = {}, [], {}
    for name, adjustment in named.items():
        levels, beyond = adjustment.levels, adjustment.beyond
        order = np.argsort(levels)
        for label, values in _lines(pictures[name], name, alone=len(named) == 1):
            lines[label] = levels[order], values[order]
            marked.append((levels[beyond], values[beyond]))
            if colours and name in colours:
                shades[label] = colours[name]
    styles_for(named, colours)  # refuses colours of what is not drawn
    styles = styles_for(lines, shades)
    draw_lines(ax, lines, styles, n_markers=None)
    _mark_beyond(ax, *map(np.concatenate, zip(*marked, strict=True)))
    ax.set(xlim=(0, 1))
    unit = f" ({time_unit})" if time_unit else ""
    return finish(ax, "Survival level ρ", first.label.format(unit=unit))


# Where nothing is changed, at the levels 0 and 1.
_NEUTRAL = {"zero": [0, 0], "one": [1, 1], "diagonal": [0, 1]}


def _lines(picture: Picture, name: str, *, alone: bool) -> Iterator[tuple[str, Float]]:
    """Yield the lines of a picture with what the legend calls them."""
    if not picture.names:
        yield name, picture.values
    for line, values in zip(picture.names, picture.values.T, strict=False):
        yield line if alone else f"{name}, {line}", values


def _mark_beyond(ax: Axes, levels: Float, values: Float) -> None:
    """Cross out what carries no guarantee."""
    if levels.size:
        ax.plot(
            levels,
            values,
            color=OBSERVED,
            ls="none",
            marker="x",
            ms=9,
            label="without guarantee",
        )


def _choose(subjects: int | ArrayLike, curves: SurvivalCurves) -> Index:
    """Return the positions of the subjects to draw."""
    n = len(curves)
    if np.ndim(as_plain_array(subjects, "subjects")) == 0:
        check_params({"subjects": subjects}, {"subjects": AtLeast(1)})
        wanted = min(int(np.asarray(subjects)), n)
        order = np.argsort(curves.median(), kind="stable")
        return order[((np.arange(wanted) + 0.5) / wanted * n).astype(np.intp)]
    rows = as_floats(subjects, "subjects")
    if rows.size == 0:
        raise InvalidInput("subjects is empty; give at least one position")
    wrong = (rows != np.rint(rows)) | (rows < 0) | (rows >= n)
    if wrong.any():
        raise InvalidInput(
            f"subjects must be positions from 0 to {n - 1}, got {rows[wrong][0]:g}"
        )
    if np.unique(rows).size < rows.size:
        raise InvalidInput(f"subjects must be distinct, got {rows.tolist()}")
    return rows.astype(np.intp)


def _marker(subject: Style, *, filled: bool) -> dict[str, Any]:
    """Return how a subject's outcome is marked, on its curves and in the legend."""
    return {
        "color": subject.colour,
        "marker": subject.marker,
        "ms": 6.5,
        "mew": 1.4,
        "mfc": subject.colour if filled else "white",
        "lw": 1.4,
    }


def _draw_curve(ax: Axes, curve: SurvivalCurves, end: float, **line: Any) -> None:
    """Draw one curve through all of its nodes, and its tail, up to *end*."""
    nodes = np.unique(curve.times)
    times = np.union1d(np.linspace(0, end, _N_TIMES), nodes[nodes <= end])
    steps = "steps-post" if curve.interpolation == "step" else "default"
    ax.plot(times, curve.survival_at(times)[0], lw=1.4, drawstyle=steps, **line)
