"""The paper's grid: a row per dataset, a column per metric, marks by model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.figures.look import (
    DUMMY,
    Mark,
    legend,
    new_figure,
    plain,
    save,
)
from studies.figures.marks import dagger, draw_dummy, draw_means
from studies.figures.roots import root_scale
from studies.measures import CALIBRATION, MEASURES, Measure
from studies.results import Results
from studies.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Grid", "draw_grid"]

_ROW, _COLUMN = 1.55, 3.15  # inches of a panel with its gap
_LEFT, _RIGHT, _TOP, _BOTTOM = 1.75, 0.1, 1.0, 0.4
_GAP = 0.55  # between panels of a row, for the tick labels
_BETWEEN = 0.5  # more room between groups of size, for the models' names
_FEW, _MANY = 4.2, 3.4  # size of marks
_GROUP = 0.8  # width of a model's group of marks; models stand 1 apart


@dataclass(frozen=True)
class Grid:
    """What a grid shows.

    Attributes
    ----------
    results : Results
    study : str
    datasets, models : sequence of str
    marks : mapping from variants to Mark
    dummy : bool
        Whether to draw the Kaplan–Meier dummy's mean for the calibration metrics.
    aliases : mapping
        Other keys under which a model's variants may be found.
    """

    results: Results
    study: str
    datasets: Sequence[str]
    models: Sequence[str]
    marks: Mapping[str, Mark]
    dummy: bool = True
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def interval(
        self, dataset: str, model: str, variant: str, metric: str
    ) -> Interval | None:
        """Return the mean of a variant under the model's key or another of its."""
        for key in (*self.aliases.get(model, ()), model):
            found = self.results.interval(self.study, dataset, key, variant, metric)
            if found:
                return found
        return None

    def failed(self, dataset: str, model: str) -> bool:
        """Say whether nothing came of a cell."""
        keys = (*self.aliases.get(model, ()), model)
        return any(self.results.failed(self.study, dataset, key) for key in keys)


def draw_grid(grid: Grid, path: Path) -> Path:
    """Draw a grid and write it."""
    sizes = [grid.results.facts[name].size for name in grid.datasets]
    breaks = [i for i in range(1, len(sizes)) if sizes[i] != sizes[i - 1]]
    width = _LEFT + _COLUMN * len(MEASURES) + _RIGHT
    height = _TOP + _ROW * len(sizes) + _BETWEEN * len(breaks) + _BOTTOM
    with new_figure(width, height) as figure:
        tops = _tops(len(sizes), breaks)
        for row, dataset in enumerate(grid.datasets):
            named = row + 1 in (*breaks, len(sizes))
            for column, measure in enumerate(MEASURES.values()):
                place = (
                    (_LEFT + _COLUMN * column) / width,
                    (height - tops[row] - _ROW + 0.25) / height,
                    (_COLUMN - _GAP) / width,
                    (_ROW - 0.25) / height,
                )
                ax = figure.add_axes(place)
                _panel(ax, grid, dataset, measure)
                _names(ax, grid, named)
                if row == 0:
                    ax.set_title(_title(measure), pad=8, fontsize=11, weight="bold")
            _row_label(figure, grid, dataset, 1 - (tops[row] + _ROW / 2) / height)
        for i in breaks:
            y = 1 - (tops[i] - 0.06) / height
            figure.add_artist(_rule(figure, y))
        shown = [*grid.marks.values(), *([DUMMY] if grid.dummy else [])]
        legend(figure, shown)
        return save(figure, path)


def _tops(n: int, breaks: Sequence[int]) -> list[float]:
    """Return the distance of each row from the top in inches."""
    return [
        _TOP - 0.25 + _ROW * i + _BETWEEN * sum(b <= i for b in breaks)
        for i in range(n)
    ]


def _panel(ax: Axes, grid: Grid, dataset: str, measure: Measure) -> None:
    plain(ax)
    n = len(grid.models)
    ax.bar(
        range(1, n, 2),
        1,
        1,
        color="0.965",
        zorder=0,
        transform=ax.get_xaxis_transform(),
    )
    step = _GROUP / len(grid.marks)
    drawn = set()
    for k, (variant, mark) in enumerate(grid.marks.items()):
        shift = (k - (len(grid.marks) - 1) / 2) * step
        means = {
            i + shift: mean
            for i, model in enumerate(grid.models)
            if (mean := grid.interval(dataset, model, variant, measure.name))
        }
        draw_means(ax, means, mark, _FEW if len(grid.marks) < 4 else _MANY)
        drawn |= {round(x - shift) for x in means}
    for i, model in enumerate(grid.models):
        if grid.failed(dataset, model):
            dagger(ax, i, 0.92 if i in drawn else 0.5)
    if grid.dummy:
        draw_dummy(ax, grid.results, dataset, measure)
    ax.set_xlim(-0.5, n - 0.5)
    if measure.name in CALIBRATION:
        root_scale(ax)
    else:
        ax.locator_params(axis="y", nbins=5)


def _names(ax: Axes, grid: Grid, named: bool) -> None:
    labels = [grid.results.label(model) for model in grid.models] if named else []
    ax.set_xticks(range(len(grid.models)) if named else [])
    if named:
        ax.set_xticklabels(
            labels, rotation=35, ha="right", rotation_mode="anchor", fontsize=8.5
        )
    ax.tick_params(axis="x", length=0, pad=3)


def _title(measure: Measure) -> str:
    return f"{measure.label} {'↑' if measure.higher_is_better else '↓'}"


def _row_label(figure: Figure, grid: Grid, dataset: str, y: float) -> None:
    facts = grid.results.facts[dataset]
    lines = [f"n = {facts.n:,}", f"{facts.censored:.0%} censored"]
    if facts.simulated:
        lines.append("simulated")
    x = 0.008
    figure.text(
        x, y, dataset.replace("-like", ""), weight="bold", va="bottom", fontsize=9.5
    )
    figure.text(x, y - 0.001, "\n".join(lines), va="top", color="0.35", fontsize=8)


def _rule(figure: Figure, y: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [0.01, 0.99],
        [y, y],
        color="black",
        ls=(0, (6, 4)),
        lw=1,
        transform=figure.transFigure,
    )
