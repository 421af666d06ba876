"""Coverage of every contestant in every setting, as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studies.bounds.contestants import CONTESTANTS, COVERAGE
from studies.bounds.run import Records
from studies.bounds.summary import cell, settings_of

__all__ = ["draw"]

_GROUPS = {
    "davidov": "Davidov et al.",
    "nyangweso-wang": "Nyangweso and Wang",
    "sesia-svetnik": "Sesia and Svetnik",
}
_OFF = 0.06  # where the colours end


def draw(records: Records, path: Path) -> None:
    """Write a map of coverage less what was asked, a panel for each paper."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(CONTESTANTS)
    panels = {g: s for g in _GROUPS if (s := settings_of(records, g))}
    widths = [len(settings) for settings in panels.values()]
    figure = Figure(figsize=(3 + 0.42 * sum(widths), 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(panels), squeeze=False, width_ratios=widths)[0]
    for ax, (group, settings) in zip(axes, panels.items(), strict=True):
        found = [[cell(records, s, name).coverage for s in settings] for name in names]
        off = np.array(found) - COVERAGE
        image = ax.imshow(off, cmap="RdBu", vmin=-_OFF, vmax=_OFF, aspect="auto")
        for (row, column), value in np.ndenumerate(off):
            colour = "white" if abs(value) > 0.75 * _OFF else "black"
            shown = "–" if np.isnan(value) else f"{value + COVERAGE:.2f}".lstrip("0")
            ax.text(
                column, row, shown, ha="center", va="center", fontsize=6, color=colour
            )
        labels = [s.removeprefix(group).strip() for s in settings]
        ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=7)
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_title(_GROUPS[group], fontsize=10)
        ax.label_outer()
        ax.tick_params(labelbottom=True)
    figure.colorbar(image, ax=axes, shrink=0.6, label="coverage less .9")
    figure.savefig(path, dpi=110)
