"""The decomposition as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studies.figures.look import new_figure, save
from studies.preset.comparators import Comparator
from studies.preset.sides import Sides, place_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["decomposition_picture"]

_METRICS = ("D-cal", "KM-cal")
_CSD, _RAW, _PAPER = "#E69F00", "#0072B2", "#C1121F"


def decomposition_picture(
    runs: Sequence[Sides], known: Sequence[Comparator], path: Path
) -> Path:
    """Draw in how many cells CSD is better, run by run, beside the paper's figures."""
    with new_figure(8.6, 0.36 * len(runs) + 1.2) as figure:
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(_METRICS), sharey=True)
        for ax, metric in zip(axes, _METRICS, strict=True):
            _panel(ax, runs, [c for c in known if c.metric == metric])
            ax.set_title(metric)
        axes[0].set_yticks(range(len(runs)), [run.label for run in runs])
        axes[0].invert_yaxis()
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=3, frameon=False
        )
        return save(figure, path)


def _panel(ax: Axes, runs: Sequence[Sides], known: Sequence[Comparator]) -> None:
    places = [place_of(c) for c in known]
    for i, run in enumerate(runs):
        better, worse = run.counts(known[0].metric, places)
        first = i == 0
        ax.barh(i, better, color=_CSD, label="CSD better" if first else None)
        ax.barh(
            i, worse, left=better, color=_RAW, label="raw better" if first else None
        )
        ax.text(better / 2, i, str(better), ha="center", va="center")
    in_paper = sum(c.paper == "CSD" for c in known)
    ax.axvline(in_paper, color=_PAPER, ls=(0, (4, 2)), label="CSD, paper's figures")
    ax.set_xlabel("cells")
    ax.spines[["top", "right"]].set_visible(False)
