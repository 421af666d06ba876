"""Simulated subjects whose true curves are known, and how far curves are from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from _pictures import GREY

from consurv import SurvivalCurves
from consurv.datasets import SimulatedDataset, make_weibull

LEVELS = np.arange(0.05, 1, 0.05)
GROUPS = ("highest risk", "2", "3", "4", "lowest risk")
GROUP_COLOURS = ("#D55E00", "#E69F00", "#767676", "#56B4E9", "#0072B2")


def people(seed: int = 0, n: int = 3000) -> SimulatedDataset:
    """Return new subjects of the law that others come from, with known curves."""
    return make_weibull(n, random_state=1000 + seed)


def attained(data: SimulatedDataset, curves: SurvivalCurves) -> np.ndarray:
    """Return the true survival at predicted times, by fifth of predicted risk.

    Where curves are right it is the level: (5 groups, 19 levels).
    """
    times = curves.percentile_times(LEVELS)
    true = data.true_curves(data.X)
    reached = np.column_stack([true.survival_at_observed(t) for t in times.T])
    order = np.argsort(curves.median())
    return np.stack([reached[rows].mean(axis=0) for rows in np.array_split(order, 5)])


def error(data: SimulatedDataset, curves: SurvivalCurves) -> float:
    """Return the root mean square distance to the levels by risk, in points."""
    return 100 * float(np.sqrt(np.mean((attained(data, curves) - LEVELS) ** 2)))


def draw(ax: Any, data: SimulatedDataset, curves: SurvivalCurves, title: str) -> None:
    """Draw what is attained against what is promised, a line for each fifth of risk."""
    ax.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1)
    lines = zip(attained(data, curves), GROUPS, GROUP_COLOURS, strict=True)
    for line, name, colour in lines:
        ax.plot(LEVELS, line, color=colour, label=name, lw=1.6)
    off = error(data, curves)
    ax.set(title=f"{title}\noff by {off:.1f} points", xlabel="promised")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")


def tell_groups(ax: Any, corner: str = "upper left") -> None:
    """Say in a free corner which line is which fifth of risk."""
    looks = {"frameon": False, "fontsize": "small", "title_fontsize": "small"}
    ax.legend(loc=corner, title="predicted risk", labelspacing=0.3, **looks)
