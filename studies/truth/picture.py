"""The errors as a picture: settings by contestants, one panel for each size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studies.truth.error import floor
from studies.truth.run import SettingErrors

__all__ = ["draw"]

_LIMITS = (0.05, 50.0)  # of the colours; errors beyond them have the end colours


def draw(results: Sequence[SettingErrors], path: Path) -> None:
    """Write a heat map of the mean errors on a log scale."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    sizes = sorted({r.setting.n for r in results})
    names = list(results[0].errors)
    rows = [[r for r in results if r.setting.n == n] for n in sizes]
    height = 2.2 + 0.24 * max(map(len, rows))
    width = 4.0 + 0.58 * len(names) * len(sizes)
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(sizes), squeeze=False)[0]
    for ax, n, part in zip(axes, sizes, rows, strict=True):
        image = _panel(ax, part, LogNorm(*_LIMITS, clip=True))
        ax.set_title(f"N = {n:,}, floor {floor(n):.2f}", fontsize=10)
        ax.label_outer()
        ax.tick_params(labelbottom=True)
    label = "mean squared distance of the P–P line from the diagonal, × 10³"
    figure.colorbar(image, ax=axes, shrink=0.6, aspect=40, label=label)
    figure.savefig(path, dpi=110)


def _panel(ax: Any, results: Sequence[SettingErrors], norm: Any) -> Any:
    names = list(results[0].errors)
    means = np.array([[r.mean(name) for name in names] for r in results])
    image = ax.imshow(means, norm=norm, cmap="RdYlBu_r", aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
    ax.set_yticks(range(len(results)), [r.setting.group for r in results], fontsize=8)
    for (row, column), value in np.ndenumerate(means):
        number = f"{value:.2f}" if value < 9.95 else f"{value:.0f}"
        shade = norm(value)
        colour = "white" if shade < 0.15 or shade > 0.85 else "black"
        ax.text(column, row, number, ha="center", va="center", fontsize=7, color=colour)
    _separate_models(ax, results)
    return image


def _separate_models(ax: Any, results: Sequence[SettingErrors]) -> None:
    """Draw a line wherever the model or the truth changes."""
    keys = [(r.setting.model, r.setting.hidden) for r in results]
    for row in range(1, len(keys)):
        if keys[row] != keys[row - 1]:
            ax.axhline(row - 0.5, color="black", linewidth=1)
