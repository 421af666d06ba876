"""The pictures of the preset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studies.figures.look import new_figure, save
from studies.preset.comparators import Comparator
from studies.preset.sides import Sides, place_of
from studies.statistics import Interval
from studies.tables.table import Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cells_picture", "decomposition_picture", "slip_picture"]

_METRICS = ("D-cal", "KM-cal")
_PAIR = ("first", "second")
_CSD, _RAW, _PAPER = "#E69F00", "#0072B2", "#C1121F"


def decomposition_picture(
    steps: Sequence[tuple[Sides, Sides]], known: Sequence[Comparator], path: Path
) -> Path:
    """Draw the share of cells in which CSD is better, before and after each change."""
    with new_figure(8.6, 0.42 * len(steps) + 1.3) as figure:
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(_METRICS), sharey=True)
        for ax, metric in zip(axes, _METRICS, strict=True):
            _panel(ax, steps, [c for c in known if c.metric == metric])
            ax.set_title(metric)
        axes[0].set_yticks(range(len(steps)), [run.label for _, run in steps])
        axes[0].invert_yaxis()
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=3, frameon=False
        )
        return save(figure, path)


def _panel(
    ax: Axes, steps: Sequence[tuple[Sides, Sides]], known: Sequence[Comparator]
) -> None:
    metric, places = known[0].metric, [place_of(c) for c in known]
    looks = ((_RAW, "our defaults"), (_CSD, "with the change"))
    for i, pair in enumerate(steps):
        for k, (run, (colour, name)) in enumerate(zip(pair, looks, strict=True)):
            better, worse = run.counts(metric, places)
            y, n = i + 0.38 * (k - 0.5), better + worse
            label = name if i == 0 else None
            share = better / max(n, 1)
            ax.barh(y, share, 0.36, color=colour, label=label)
            said = ax.text(share + 0.01, y, f"{better} of {n}", va="center", fontsize=7)
            said.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    in_paper = sum(c.paper == "CSD" for c in known) / len(known)
    ax.axvline(in_paper, color=_PAPER, ls=(0, (4, 2)), label="the paper's figures")
    ax.set(xlabel="share of cells in which CSD is better than raw", xlim=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)


def cells_picture(runs: Sequence[Sides], path: Path) -> Path:
    """Draw D-cal before and after, a point for each cell; below the line is better."""
    with new_figure(3.3 * len(runs) + 0.4, 3.6) as figure:
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)
        for ax, run in zip(axes[0], runs, strict=True):
            cells = [c for place, c in run.cells.items() if place[0] == _METRICS[0]]
            raw, after = ([getattr(c, side).mean for c in cells] for side in _PAIR)
            colours = [_CSD if y < x else _RAW for x, y in zip(raw, after, strict=True)]
            ax.scatter(raw, after, c=colours, s=16)
            ends = min(*raw, *after), max(*raw, *after)
            ax.plot(ends, ends, color="0.6", lw=0.8, zorder=0)
            ax.set(xscale="log", yscale="log", title=run.label, xlabel="D-cal, raw")
        axes[0][0].set_ylabel("D-cal, after")
        looks = (("better", _CSD), ("worse", _RAW))
        dots = [axes[0][0].scatter([], [], c=c, s=16, label=name) for name, c in looks]
        figure.legend(handles=dots, loc="outside lower center", ncols=2, frameon=False)
        return save(figure, path)


def slip_picture(table: Table, path: Path) -> Path:
    """Draw the D-cal of every loss, as coded beside corrected."""
    datasets = list(dict.fromkeys(str(row[0]) for row in table.rows))
    with new_figure(3.4 * len(datasets) + 0.4, 2.9) as figure:
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(datasets), sharey=True, squeeze=False)
        for ax, dataset in zip(axes[0], datasets, strict=True):
            rows = [row for row in table.rows if row[0] == dataset]
            for k, colour in enumerate((_PAPER, _RAW)):
                heights = [_mean(row[2 + k]) for row in rows]
                x = [i + 0.4 * (k - 0.5) for i in range(len(rows))]
                ax.bar(
                    x, heights, 0.38, color=colour, label=("as coded", "corrected")[k]
                )
            ax.set_xticks(range(len(rows)), [str(row[1]) for row in rows], rotation=25)
            ax.set(title=dataset, yscale="log")
        axes[0][0].set_ylabel("D-cal")
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=2, frameon=False
        )
        return save(figure, path)


def _mean(value: Value) -> float:
    return value.mean if isinstance(value, Interval) else float("nan")
