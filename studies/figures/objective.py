"""Losses that aim at calibration against CSD: a figure for each of three metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studies.figures.look import DUMMY, Mark, Picture, save
from studies.figures.marks import dagger, draw_dummy, draw_means
from studies.figures.panels import panels
from studies.figures.roots import root_scale
from studies.measures import CALIBRATION, MEASURES, Measure
from studies.results import Results
from studies.statistics import Interval
from studies.tables.objective import STUDY, objective_bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["objective_figures"]

_METRICS = ("c_index", *CALIBRATION)
# The paper's colours, with a marker of its own for each loss.
_LOSSES = {
    "LL": Mark("likelihood (LL)", "#0072B2", "o"),
    "CRPS": Mark("CRPS", "#E69F00", "D"),
    "X-cal": Mark("LL + X-cal, by weight", "#009E73", "v"),
    "SFM": Mark("LL + SFM, by weight", "#CC79A7", "P"),
    "CSD": Mark("LL + CSD", "#D55E00", "s"),
    "auto": Mark("LL + auto", "#56B4E9", "^"),
}


def objective_figures(results: Results, folder: Path) -> list[Picture]:
    """Draw C-index, D-cal and KM-cal of all losses by dataset."""
    datasets = results.datasets(STUDY)
    if not datasets:
        return []
    return [
        Picture(
            _draw(results, MEASURES[name], folder / f"objective_{name}.png"),
            f"Losses that aim at calibration: {MEASURES[name].label}",
            f"LogNormalNN; mean and 95 % interval over {len(results.seeds(STUDY))} "
            "seeds. The weights of X-cal and SFM grow to the right, 10⁰ to 10⁵."
            + (
                " The red dashed line is the Kaplan–Meier dummy's mean. The axis is "
                "spaced by square roots."
                if name in CALIBRATION
                else " The grey line at 0.5 is chance."
            ),
            f"{MEASURES[name].label} of every loss on {len(datasets)} datasets.",
        )
        for name in _METRICS
    ]


def _draw(results: Results, measure: Measure, path: Path) -> Path:
    bars = objective_bars(results)
    used = {_loss(text) for _, _, text in bars}
    marks = [mark for name, mark in _LOSSES.items() if name in used]
    marks += [DUMMY] if measure.name in CALIBRATION else []
    datasets = results.datasets(STUDY)
    with panels(datasets, (4.3, 1.9), marks, n_columns=3, bottom=0.75) as page:
        for dataset, ax in page.axes.items():
            _panel(ax, results, dataset, measure)
            labels = [text for _, _, text in bars] if dataset in page.lowest else []
            ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=8)
            ax.tick_params(axis="x", length=0)
        return save(page.figure, path)


def _panel(ax: Axes, results: Results, dataset: str, measure: Measure) -> None:
    bars = objective_bars(results)
    means: dict[str, dict[float, Interval]] = {}
    for i, (model, variant, text) in enumerate(bars):
        value = results.interval(STUDY, dataset, model, variant, measure.name)
        if value:
            means.setdefault(_loss(text), {})[i] = value
        elif results.failed(STUDY, dataset, model):
            dagger(ax, i)
    for loss, part in means.items():
        draw_means(ax, part, _LOSSES[loss], 5)
    draw_dummy(ax, results, dataset, measure)
    if measure.name in CALIBRATION:
        root_scale(ax)
    else:
        ax.axhline(0.5, color="0.6", lw=1)
    ax.set_xlim(-0.7, len(bars) - 0.3)


def _loss(text: str) -> str:
    """Return the kind of loss of a written name."""
    return next((name for name in reversed(_LOSSES) if name in text), "LL")
