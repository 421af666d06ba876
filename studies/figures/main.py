"""The figures of the main study: all datasets, and a short one of two."""

from __future__ import annotations

from pathlib import Path

from studies.figures.grid import Grid, draw_grid
from studies.figures.look import Picture, marks_for
from studies.results import Results
from studies.tables.notes import DUMMY

__all__ = ["main_figures"]

STUDY = "main"
_VARIANTS = ("raw", "csd", "auto", "cipot")
_SHORT = ("METABRIC", "SUPPORT")


def main_figures(results: Results, folder: Path) -> list[Picture]:
    """Draw the full results and the short form, as far as there are records."""
    datasets = results.datasets(STUDY)
    models = [name for name in results.models(STUDY) if name != "km"]
    if not datasets or not models:
        return []
    known = results.variants(STUDY)
    marks = marks_for(v for v in _VARIANTS if v in known or v == "raw")
    full = Grid(results, STUDY, datasets, models, marks)
    n = len(results.seeds(STUDY))
    caption = (
        f"Mean and 95 % interval over up to {n} seeds; the red dashed line is the "
        f"mean of the Kaplan–Meier dummy. {DUMMY} C-index: higher is better, all "
        "others: lower. D-cal and KM-cal are mean squares; their axes are spaced by "
        "square roots. † failed with at least one seed."
    )
    what = ", ".join(mark.label for mark in marks.values())
    pictures = [
        Picture(
            draw_grid(full, folder / "full_results.png"),
            "Full results",
            f"{caption} Rows by number of subjects; dashed lines part small, medium "
            "and large datasets.",
            f"{what}: {len(models)} models on {len(datasets)} datasets, five metrics.",
        )
    ]
    short = [name for name in _SHORT if name in datasets]
    if short:
        part = Grid(results, STUDY, short, models, marks)
        pictures.append(
            Picture(
                draw_grid(part, folder / "short_results.png"),
                f"Results on {' and '.join(short)}",
                caption,
                f"{what}: {len(models)} models, five metrics.",
            )
        )
    return pictures
