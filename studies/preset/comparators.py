"""What our cells are held against: the paper's figures and its authors' code.

``signs.csv`` beside this file is the digest of two sources: the figures of Qi, Yu and
Greiner (ICML 2024), digitised (which side is better and by how many pixels), and runs
of the code that they released (shi-ang/CSD on GitHub) on six datasets, with 9 levels
and 4 to 5 seeds (mean of CSD less raw over seeds, and its standard error).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from studies.files import write_atomically
from studies.measures import MEASURES

__all__ = ["Comparator", "make_digest", "read_digest", "side_of"]

_DIGEST = Path(__file__).with_name("signs.csv")
# Which CSV column of the authors' runs holds which metric, by the label of the paper.
_COLUMNS = {
    "C-index": "cindex",
    "D-cal": "dcal",
    "KM-cal": "kmcal",
    "IBS": "ibs",
    "MAE-PO": "mae_po",
}
_THEIR_NAMES = {"DeepSurv": "CoxPH", "N-MTLR": "MTLR"}
_LEVELS = "9"
_SIDES = {"CSD": "CSD", "raw": "raw", "within half a pixel": "tie"}


@dataclass(frozen=True)
class Comparator:
    """One cell: a metric of one dataset and model.

    Attributes
    ----------
    metric, dataset, model : str
        The metric and the model by the paper's labels.
    paper : {"CSD", "raw", "tie"}
        Which is better in the paper's figure.
    pixels : float
        How far apart they are there.
    authors : float or None
        Mean of CSD less raw in runs of the authors' code.
    authors_error : float or None
        Its standard error over seeds.
    """

    metric: str
    dataset: str
    model: str
    paper: str
    pixels: float
    authors: float | None = None
    authors_error: float | None = None

    @property
    def decided(self) -> bool:
        """Whether the figure tells the two apart by more than two pixels."""
        return self.pixels > 2

    @property
    def authors_side(self) -> str | None:
        """Which is better by the authors' code."""
        return None if self.authors is None else side_of(self.metric, self.authors)

    @property
    def authors_sure(self) -> bool:
        """Whether their difference exceeds two standard errors."""
        if self.authors is None or not self.authors_error:
            return False
        return abs(self.authors) > 2 * self.authors_error


def side_of(metric: str, change: float) -> str:
    """Return which is better if CSD less raw is *change*.

    Examples
    --------
    >>> side_of("D-cal", -0.1), side_of("C-index", -0.1), side_of("IBS", 0.0)
    ('CSD', 'raw', 'tie')
    """
    if change == 0:
        return "tie"
    higher = next(m.higher_is_better for m in MEASURES.values() if m.label == metric)
    return "CSD" if (change > 0) == higher else "raw"


def read_digest(path: Path = _DIGEST) -> list[Comparator]:
    """Return all cells of the digest.

    Examples
    --------
    >>> cells = [c for c in read_digest() if c.metric == "D-cal"]
    >>> [sum(c.paper == side for c in cells) for side in ("CSD", "raw", "tie")]
    [47, 6, 2]
    """
    with path.open(newline="", encoding="utf-8") as file:
        return [_parsed(row) for row in csv.DictReader(file)]


def make_digest(figures: Path, runs: Path, path: Path = _DIGEST) -> None:
    """Write the digest from ``paper_cells.csv`` and ``authors_runs.csv``."""
    known = {name: i for i, name in enumerate(f.name for f in fields(Comparator))}
    lines = [",".join(known)]
    with runs.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for cell in _digitised(figures):
        found = _changes(rows, cell)
        more = ["", ""]
        if len(found) > 1:
            error = np.std(found, ddof=1) / len(found) ** 0.5
            more = [f"{np.mean(found):.6g}", f"{error:.4g}"]
        values = (cell.metric, cell.dataset, cell.model, cell.paper, f"{cell.pixels:g}")
        lines.append(",".join([*values, *more]))
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def _parsed(row: dict[str, str]) -> Comparator:
    return Comparator(
        row["metric"],
        row["dataset"],
        row["model"],
        row["paper"],
        float(row["pixels"]),
        float(row["authors"]) if row["authors"] else None,
        float(row["authors_error"]) if row["authors_error"] else None,
    )


def _digitised(figures: Path) -> Iterator[Comparator]:
    with figures.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not row["dataset"].startswith("SEER"):
                pixels = abs(float(row["pixels_csd_minus_raw"]))
                place = (row["metric"], row["dataset"], row["model"])
                yield Comparator(*place, _SIDES[row["better"]], pixels)


def _changes(rows: Sequence[dict[str, str]], cell: Comparator) -> list[float]:
    """Return CSD less raw of the authors' runs, seed by seed."""
    model, column = _THEIR_NAMES.get(cell.model, cell.model), _COLUMNS[cell.metric]
    own = [r for r in rows if (r["dataset"], r["model"]) == (cell.dataset, model)]
    raw, csd = (
        {r["seed"]: float(r[column]) for r in own if r[column] and kind(r)}
        for kind in (_is_raw, _is_csd)
    )
    return [csd[seed] - raw[seed] for seed in sorted(raw.keys() & csd.keys())]


def _is_raw(row: dict[str, str]) -> bool:
    return row["variant"] == "raw"


def _is_csd(row: dict[str, str]) -> bool:
    return row["variant"] == "csd" and row["n_quantiles"] == _LEVELS
