"""P–P lines and mean curves by dataset, averaged over seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from consurv._checks import Float
from studies.figures.look import Mark, Picture, marks_for, save
from studies.figures.panels import panels
from studies.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["calibration_figures", "mean_over_seeds"]

STUDY = "main"
_MODEL = "deephit"
_VARIANTS = ("raw", "csd", "auto", "cipot")
_N_TIMES = 101
_IDEAL = Mark("perfect", "black", "", (0, (4, 3)))
_OBSERVED = Mark("Kaplan–Meier of the test sets", "black", "", (0, (4, 3)))


def calibration_figures(results: Results, folder: Path) -> list[Picture]:
    """Draw P–P panels and mean curves of DeepHit, or of another model if need be."""
    model = _model(results)
    datasets = [d for d in results.datasets(STUDY) if _has_details(results, d, model)]
    if not datasets:
        return []
    name = results.label(model)
    how = f"{name} on {len(datasets)} datasets; means over seeds, on the test sets."
    return [
        Picture(
            _draw(results, datasets, model, _pp, _IDEAL, (2.5, 2.5), folder / "pp.png"),
            f"P–P plots of {name}",
            f"{how} The share of subjects whose event came when their curve was at or "
            "below a level, against the level: below the diagonal the curves are too "
            "optimistic, above it too pessimistic. Shaded: 95 % interval over seeds.",
            f"P–P lines of {name} before and after adjustment by dataset.",
        ),
        Picture(
            _draw(
                results,
                datasets,
                model,
                _mean_curve,
                _OBSERVED,
                (2.9, 2.1),
                folder / "mean_curves.png",
            ),
            f"Mean curves of {name} against Kaplan–Meier",
            f"{how} Drawn up to the earliest end of a test set; beyond it not all "
            "seeds have a curve.",
            f"Mean predicted curve of {name} before and after adjustment, with the "
            "Kaplan–Meier curve, by dataset.",
        ),
    ]


def _model(results: Results) -> str:
    """Return DeepHit, or the first model whose records hold curves."""
    models = [name for name in results.models(STUDY) if name != "km"]
    found = [
        model
        for model in sorted(models, key=lambda name: name != _MODEL)
        if any(_has_details(results, d, model) for d in results.datasets(STUDY))
    ]
    return found[0] if found else _MODEL


def _has_details(results: Results, dataset: str, model: str) -> bool:
    return bool(_details(results, dataset, model, "raw", "pp"))


def _details(
    results: Results, dataset: str, model: str, variant: str, kind: str
) -> list[dict[str, Any]]:
    """Return the curves of a variant, one entry for each seed that has them."""
    runs = results.runs(STUDY, dataset, model, variant).values()
    return [
        run["details"][kind] for run in runs if (run.get("details") or {}).get(kind)
    ]


Draw = Callable[["Axes", Results, str, str, dict[str, Mark]], None]


def _draw(
    results: Results,
    datasets: list[str],
    model: str,
    draw: Draw,
    reference: Mark,
    size: tuple[float, float],
    path: Path,
) -> Path:
    known = results.variants(STUDY)
    marks = marks_for(name for name in _VARIANTS if name in known)
    named = [*marks.values(), reference]
    with panels(datasets, size, named, lines=True, gaps=(0.6, 0.75)) as page:
        for dataset, ax in page.axes.items():
            draw(ax, results, dataset, model, marks)
        return save(page.figure, path)


def _pp(
    ax: Axes, results: Results, dataset: str, model: str, marks: dict[str, Mark]
) -> None:
    ax.plot([0, 1], [0, 1], color=_IDEAL.colour, ls=_IDEAL.line, lw=1, zorder=3)
    for i, (variant, mark) in enumerate(marks.items()):
        found = _details(results, dataset, model, variant, "pp")
        if not found:
            continue
        levels = np.array(found[0]["levels"])
        lines = np.array([part["observed"] for part in found])
        mean, half = mean_over_seeds(lines)
        ax.fill_between(
            levels, mean - half, mean + half, color=mark.colour, alpha=0.2, lw=0
        )
        _line(ax, levels, mean, mark, i / len(marks))
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    ax.set_xlabel("predicted level")
    ax.set_ylabel("observed share", labelpad=1)


def _mean_curve(
    ax: Axes, results: Results, dataset: str, model: str, marks: dict[str, Mark]
) -> None:
    found = {
        variant: parts
        for variant in marks
        if (parts := _details(results, dataset, model, variant, "mean_curve"))
    }
    end = min(part["times"][-1] for parts in found.values() for part in parts)
    times = np.linspace(0, end, _N_TIMES)
    for i, (variant, parts) in enumerate(found.items()):
        mean, _ = mean_over_seeds(_resampled(parts, "survival", times))
        _line(ax, times, mean, marks[variant], i / len(marks))
    observed = _resampled(next(iter(found.values())), "kaplan_meier", times)
    # On top: after adjustment it would be hidden.
    look = {"color": _OBSERVED.colour, "ls": _OBSERVED.line, "zorder": 3}
    ax.plot(times, mean_over_seeds(observed)[0], lw=1, **look)
    ax.set(xlim=(0, None), ylim=(0, 1.02), yticks=(0, 0.5, 1))
    ax.set_xlabel("time")
    ax.set_ylabel("mean survival", labelpad=1)
    ax.locator_params(axis="x", nbins=5)


def _line(ax: Axes, x: Float, y: Float, mark: Mark, share: float) -> None:
    """Draw a line whose markers begin at a share of their distance."""
    stride = max(1, len(x) // 5)
    ax.plot(
        x,
        y,
        color=mark.colour,
        ls=mark.line,
        lw=1.5,
        marker=mark.marker,
        ms=4,
        markevery=(int(share * stride), stride),
    )


def _resampled(found: list[dict[str, Any]], name: str, times: Float) -> Float:
    """Return curves at common times; (0, 1) belongs to every curve."""
    rows = []
    for part in found:
        x, y = np.array(part["times"]), np.array(part[name])
        if x[0] > 0:
            x, y = np.append(0.0, x), np.append(1.0, y)
        rows.append(np.interp(times, x, y))
    return np.array(rows)


def mean_over_seeds(lines: Float) -> tuple[Float, Float]:
    """Return the mean of lines (seeds, points) and the half width of its interval.

    Examples
    --------
    >>> mean, half = mean_over_seeds(np.array([[0.0, 1.0], [1.0, 1.0]]))
    >>> mean.tolist(), half.round(2).tolist()
    ([0.5, 1.0], [6.35, 0.0])
    """
    n = len(lines)
    mean = np.asarray(lines.mean(axis=0), dtype=float)
    if n < 2:
        return mean, np.zeros_like(mean)
    t = float(stdtrit(n - 1, 0.975))
    return mean, t * lines.std(axis=0, ddof=1) / n**0.5
