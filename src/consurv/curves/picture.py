"""A quick look at curves; reports have better pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv.errors import MissingDependency

__all__ = ["plot_curves"]


def plot_curves(curves: Any, ax: Any, most: int, time_unit: str | None = None) -> Any:
    """Draw the first *most* curves, to where nine in ten of them are at 0.05."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingDependency("matplotlib", "report") from error
        ax = pyplot.subplots()[1]
    shown = curves[:most]
    ends = shown.percentile_times([0.05])[:, 0]
    ends = ends[np.isfinite(ends)]
    times = np.linspace(0, np.quantile(ends, 0.9) if ends.size else 1.0, 300)
    for row in shown.survival_at(times):
        ax.plot(times, row, linewidth=1)
    label = f"time ({time_unit})" if time_unit else "time"
    ax.set(xlabel=label, ylabel="survival", ylim=(0, 1.02), xlim=(0, None))
    return ax
