"""Each calibrator against raw: by what D-cal and IBS change, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from studies.calibrators.cell import OURS
from studies.calibrators.page import METRICS, label
from studies.calibrators.standing import of_records

__all__ = ["picture"]


def picture(done: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Draw the ratio to raw in every cell, a row of points for each calibrator."""
    shown = {m: METRICS[m] for m in ("d_calibration", "integrated_brier_score")}
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots(1, len(shown), sharey=True)
    for axis, (metric, title) in zip(axes, shown.items(), strict=True):
        values = of_records(done, metric)
        names = [n for n in next(iter(values.values()), {}) if n != "raw"]
        names.sort(key=lambda name: (name != OURS, name), reverse=True)
        for row, name in enumerate(names):
            ratios = [
                np.mean(by[name]) / np.mean(by["raw"])
                for by in values.values()
                if name in by
            ]
            jitter = np.random.default_rng(row).uniform(-0.2, 0.2, len(ratios))
            colour = "#c1440e" if name == OURS else "#3b6ea5"
            axis.plot(ratios, row + jitter, "o", ms=3.5, alpha=0.6, color=colour)
            axis.plot(np.median(ratios), row, "|", ms=18, mew=2, color="black")
        axis.axvline(1.0, color="grey", lw=1)
        if metric == "d_calibration":  # some are off by a factor
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter(ScalarFormatter())
        axis.set_xlabel(f"{title} after / raw")
        axis.set_yticks(range(len(names)), [label(name) for name in names])
    axes[0].set_title("Left of the line: better than raw", loc="left", fontsize=10)
    figure.savefig(path, dpi=120)
    return path
