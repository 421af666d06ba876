"""What several figures draw into their panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studies.figures.look import DUMMY, Mark
from studies.measures import CALIBRATION, Measure
from studies.results import Results
from studies.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["dagger", "draw_dummy", "draw_means"]


def draw_means(
    ax: Axes, means: Mapping[float, Interval], mark: Mark, size: float = 4.2
) -> None:
    """Draw means with their intervals at places of the x axis.

    One call for all of them: single error bars are slow.
    """
    if not means:
        return
    widths: Any = [mean.half_width or 0.0 for mean in means.values()]
    ax.errorbar(
        list(means),
        [mean.mean for mean in means.values()],
        yerr=widths,
        color=mark.colour,
        marker=mark.marker,
        ls="",
        ms=size,
        mew=1.0,
        elinewidth=1.2,
    )


def draw_dummy(ax: Axes, results: Results, dataset: str, measure: Measure) -> None:
    """Draw the dummy's mean into a panel of calibration."""
    if measure.name not in CALIBRATION:
        return
    dummy = results.interval("main", dataset, "km", "raw", measure.name)
    if dummy:
        ax.axhline(dummy.mean, color=DUMMY.colour, ls=DUMMY.line, lw=1.2)


def dagger(ax: Axes, x: float, height: float = 0.5) -> None:
    """Mark what failed; *height* is a share of the panel."""
    place = ax.get_xaxis_transform()
    ax.text(x, height, "†", ha="center", va="center", fontsize=12, transform=place)
