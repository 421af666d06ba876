"""The grid: configurations become cells, and cells that share a fit become a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from consurv import __version__
from studies.config import StudyConfig
from studies.fingerprint import fingerprint
from studies.named import NamedFit, named_fits
from studies.protocol import protocol_of
from studies.sources import load_source
from studies.variants import Variant, variants_of

__all__ = ["Cell", "Task", "cells_of", "tasks_of"]


@dataclass(frozen=True)
class Cell:
    """One record to be made.

    Attributes
    ----------
    study, dataset : str
    fit : NamedFit
    seed : int
    variants : tuple of Variant
    time_limit : float
        Seconds.
    asked : str
        The fingerprint of all that decides the metrics.
    """

    study: str
    dataset: str
    fit: NamedFit
    seed: int
    variants: tuple[Variant, ...]
    time_limit: float
    asked: str

    def __str__(self) -> str:
        return f"{self.study}/{self.dataset}/{self.fit.key}/{self.seed}"


@dataclass(frozen=True)
class Task:
    """Cells that share a fit: what a worker does at one go.

    Attributes
    ----------
    cells : tuple of Cell
        Of the same dataset, fit and seed.
    digest : str
        Of the rows of the dataset, where the grid was made.
    effort : float
        About how long it takes, in no unit.
    """

    cells: tuple[Cell, ...]
    digest: str
    effort: float

    @property
    def dataset(self) -> str:
        """The dataset of all cells."""
        return self.cells[0].dataset

    @property
    def fit(self) -> NamedFit:
        """The fit of all cells."""
        return self.cells[0].fit

    @property
    def seed(self) -> int:
        """The seed of all cells."""
        return self.cells[0].seed


def cells_of(config: StudyConfig) -> list[Cell]:
    """Return the cells of a study whose datasets are here."""
    fits = named_fits(config.study, config.models, config.settings, config.causes)
    return [
        _cell(config, dataset, replace(fit, stratify=config.stratify), seed)
        for dataset in config.datasets or ()
        for fit in fits
        for seed in config.seed_numbers
    ]


def _cell(config: StudyConfig, dataset: str, fit: NamedFit, seed: int) -> Cell:
    variants = variants_of(config.study, fit, config.percentiles)
    asked = fingerprint(
        {
            "consurv": __version__,
            "study": config.study,
            "data": load_source(dataset).digest,
            "model": fit.model,
            "settings": fit.make(seed).get_params(deep=False),
            "holds_out": fit.holds_out,
            "seed": seed,
            "variants": [asdict(variant) for variant in variants],
            "protocol": protocol_of(fit.stratify),
            **fit.causes.marks,
        }
    )
    return Cell(config.study, dataset, fit, seed, variants, config.time_limit, asked)


def tasks_of(cells: Sequence[Cell]) -> list[Task]:
    """Group cells by their fit, the longest first.

    Tasks of one dataset and seed follow each other: they share the encoded rows.
    """
    groups: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in cells:
        key = (cell.dataset, cell.fit.key, cell.seed)
        groups.setdefault(key, []).append(cell)
    tasks = [_task(tuple(group)) for group in groups.values()]
    return sorted(tasks, key=lambda t: (-_rows(t.dataset), t.seed, -t.effort))


# Seconds per 1,000 rows, roughly; only the order and the time left depend on it.
_EFFORT = {"km": 0.05, "weibull-aft": 0.3, "coxph": 0.3, "gradient-boosting": 0.5}


def _task(cells: tuple[Cell, ...]) -> Task:
    first = cells[0]
    source = load_source(first.dataset)
    effort = _EFFORT.get(first.fit.model, 2.0) + 0.02 * sum(
        len(cell.variants) for cell in cells
    )
    return Task(cells, source.digest, effort * (0.3 + _rows(first.dataset) / 1000))


def _rows(dataset: str) -> float:
    """Return the rows of a dataset, more for one with very many features."""
    source = load_source(dataset)
    return len(source.y) * (1 + source.X.shape[1] / 1000)
