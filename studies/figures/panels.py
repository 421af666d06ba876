"""Panels of equal size, one for each name, with a legend on top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.figures.look import (
    Mark,
    legend,
    legend_rows,
    new_figure,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Panels", "panels"]

_TOP, _LEGEND_ROW = 0.5, 0.22  # inches for the first titles and the legend


@dataclass(frozen=True)
class Panels:
    """A figure and its axes by name.

    Attributes
    ----------
    figure : matplotlib Figure
    axes : dict of Axes
    lowest : set of str
        Names of the panels with nothing below them.
    """

    figure: Figure
    axes: dict[str, Axes]
    lowest: set[str]


@contextmanager
def panels(
    names: Sequence[str],
    size: tuple[float, float],
    marks: Iterable[Mark],
    *,
    lines: bool = False,
    n_columns: int = 4,
    gaps: tuple[float, float] = (0.6, 0.5),
    bottom: float = 0.5,
) -> Iterator[Panels]:
    """Give empty panels with their names as titles.

    Parameters
    ----------
    names : sequence of str
    size : (float, float)
        Width and height of a panel in inches.
    marks : iterable of Mark
        What the legend names, with their lines if *lines*.
    n_columns : int
    gaps : (float, float)
        Left of each panel, and between rows.
    bottom : float
        Inches below the last row.
    """
    n_columns = min(n_columns, len(names))
    n_rows = -(-len(names) // n_columns)
    step = size[0] + gaps[0], size[1] + gaps[1]
    width = step[0] * n_columns + 0.2
    named = list(marks)
    top = _TOP + _LEGEND_ROW * legend_rows(named, width)
    height = top + step[1] * n_rows - gaps[1] + bottom
    with new_figure(width, height) as figure:
        legend(figure, named, lines=lines)
        axes = {}
        for i, name in enumerate(names):
            row, column = divmod(i, n_columns)
            left = step[0] * column + gaps[0]
            low = height - top - step[1] * row - size[1]
            place = left / width, low / height, size[0] / width, size[1] / height
            axes[name] = plain(figure.add_axes(place))
            axes[name].set_title(name, fontsize=10, weight="bold")
        lowest = {name for i, name in enumerate(names) if i + n_columns >= len(names)}
        yield Panels(figure, axes, lowest)
