"""Extra and relative running time of the censoring rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from studies import cost
from studies.figures.look import Mark, Picture, marks_for, save
from studies.figures.marks import draw_means
from studies.figures.panels import panels
from studies.results import Results
from studies.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cost_figures"]

Values = Callable[[Results, str, str, str], list[float]]


def cost_figures(results: Results, folder: Path) -> list[Picture]:
    """Draw extra seconds and relative time by model, dataset and rule."""
    if not cost.cost_rules(results):
        return []
    how = "Mean and 95 % interval over seeds, on a logarithmic scale."
    return [
        Picture(
            _draw(results, cost.extra_seconds, "seconds", folder / "extra_time.png"),
            "Extra running time",
            f"Seconds of the conformal step. {how}",
            "Extra seconds of each censoring rule by model and dataset.",
        ),
        Picture(
            _draw(
                results, cost.relative_time, "× training", folder / "relative_time.png"
            ),
            "Relative running time",
            f"(Training + conformal step) / training. {how}",
            "Relative time of each censoring rule by model and dataset.",
        ),
    ]


def _draw(results: Results, values: Values, unit: str, path: Path) -> Path:
    names = {results.label(model): model for model in results.models(cost.STUDY)}
    marks = marks_for(cost.cost_rules(results))
    size, shown = (2.9, 2.2), marks.values()
    with panels(list(names), size, shown, lines=True, bottom=0.8) as page:
        for name, ax in page.axes.items():
            _panel(ax, results, names[name], values, marks)
            ax.set_ylabel(unit, labelpad=1)
            datasets = results.datasets(cost.STUDY) if name in page.lowest else []
            labels = [dataset.replace("-like", "") for dataset in datasets]
            ax.set_xticks(
                range(len(labels)),
                labels,
                rotation=45,
                ha="right",
                rotation_mode="anchor",
            )
        _alike(list(page.axes.values()))
        return save(page.figure, path)


def _panel(
    ax: Axes, results: Results, model: str, values: Values, marks: dict[str, Mark]
) -> None:
    ax.set_yscale("log")
    datasets = results.datasets(cost.STUDY)
    for k, (rule, mark) in enumerate(marks.items()):
        # A little apart, so that intervals do not hide each other.
        shift = 0.1 * (k - (len(marks) - 1) / 2)
        means: dict[float, Interval] = {
            i + shift: mean
            for i, dataset in enumerate(datasets)
            if (mean := cost.interval_of(values(results, dataset, model, rule)))
        }
        heights = [mean.mean for mean in means.values()]
        ax.plot(list(means), heights, color=mark.colour, ls=mark.line, lw=1)
        draw_means(ax, means, mark)
    ax.set_xlim(-0.5, len(datasets) - 0.5)


def _alike(axes: list[Axes]) -> None:
    """Give all panels the same limits, and plain numbers where 10ⁿ says little."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    low = min(ax.get_ylim()[0] for ax in axes)
    high = max(ax.get_ylim()[1] for ax in axes)
    narrow = high < 10 * low
    for ax in axes:
        ax.set_ylim(low, high)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick:g}"))
        ax.yaxis.set_minor_formatter(
            FuncFormatter(lambda tick, _: f"{tick:.4g}") if narrow else NullFormatter()
        )
