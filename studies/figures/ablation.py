"""A grid over five metrics for each ablation."""

from __future__ import annotations

from pathlib import Path

from studies.figures.grid import Grid, draw_grid
from studies.figures.look import Picture, marks_for
from studies.results import Results

__all__ = ["ablation_figures"]

# File, study, title and the variants that are shown. The paper's four rules stand
# apart from the others, and KM exact for KM-sampling: more marks could not be told
# apart.
_FIGURES = (
    (
        "ablation_censoring",
        "ablation-censoring",
        "Ablation 1: what a censored subject contributes, the paper's rules",
        ("uncensored", "margin", "pseudo-observation", "kaplan-meier"),
    ),
    (
        "ablation_censoring_rules",
        "ablation-censoring",
        "Ablation 1, continued: rules that use the subject's own curve, and CiPOT",
        ("kaplan-meier", "self-consistent", "local", "auto", "cipot"),
    ),
    (
        "ablation_conformal_set",
        "ablation-conformal-set",
        "Ablation 2: which subjects set the shifts",
        ("validation", "train+validation", "train"),
    ),
    (
        "ablation_percentiles",
        "ablation-percentiles",
        "Ablation 3: the number of percentiles",
        ("9", "19", "39", "49", "99"),
    ),
)


def ablation_figures(results: Results, folder: Path) -> list[Picture]:
    """Draw a figure for every ablation that has at least two of its variants."""
    pictures = []
    for name, study, title, wanted in _FIGURES:
        known = results.variants(study)
        variants = [variant for variant in wanted if variant in known]
        if len(variants) < 2:
            continue
        marks = marks_for(variants)
        models, aliases = _merged(results.models(study))
        grid = Grid(
            results, study, results.datasets(study), models, marks, aliases=aliases
        )
        what = ", ".join(mark.label for mark in marks.values())
        pictures.append(
            Picture(
                draw_grid(grid, folder / f"{name}.png"),
                title,
                f"Mean and 95 % interval over {len(results.seeds(study))} seeds, from "
                "one fit per seed. C-index: higher is better, all others: lower. "
                "D-cal and KM-cal are spaced by square roots. † failed.",
                f"Five metrics of {len(models)} models by dataset: {what}.",
            )
        )
    return pictures


def _merged(models: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the models without the suffix of a second fit, and their other keys."""
    aliases: dict[str, list[str]] = {}
    for model in models:
        base, _, suffix = model.partition("@")
        keys = aliases.setdefault(base, [])
        if suffix:
            keys.append(model)
    return [name for name in aliases if name != "km"], aliases
