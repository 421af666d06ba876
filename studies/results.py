"""The records of all cells, put in order and asked by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from studies.names import (
    SIZES,
    STUDIES,
    model_label,
    model_order,
    variant_order,
)
from studies.statistics import Interval, mean_interval

__all__ = ["DatasetFacts", "Failure", "Results"]

Record = Mapping[str, Any]


@dataclass(frozen=True)
class DatasetFacts:
    """What the records say about a dataset."""

    name: str
    n: int
    n_test: int
    size: str
    censored: float
    n_features: int
    simulated: bool

    @property
    def order(self) -> tuple[int, int, str]:
        """What datasets are sorted by: group of size, subjects, name."""
        known = self.size in SIZES
        return SIZES.index(self.size) if known else len(SIZES), self.n, self.name

    @property
    def kind(self) -> str:
        """Public or simulated."""
        return "simulated" if self.simulated else "public"


@dataclass(frozen=True)
class Failure:
    """A cell, or a variant of one, that came to nothing."""

    study: str
    dataset: str
    model: str
    variant: str | None
    seed: int
    status: str
    reason: str


class Results:
    """All records of a folder.

    Parameters
    ----------
    records : iterable of mapping
        Records of cells in any order.

    Examples
    --------
    >>> record = {"study": "main", "dataset": "PBC", "model": "deephit", "seed": 0,
    ...           "status": "done", "variants": [
    ...               {"name": "raw", "status": "done", "metrics": {"c_index": 0.8}}]}
    >>> Results([record]).values("main", "PBC", "deephit", "raw", "c_index")
    {0: 0.8}
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = sorted(records, key=_identity)
        self.failures: list[Failure] = []
        self._runs: dict[tuple[str, str, str, str], dict[int, Record]] = {}
        self._fits: dict[tuple[str, str, str], dict[int, Record]] = {}
        self._models: dict[str, set[str]] = {}
        self._datasets: dict[str, set[str]] = {}
        self._seeds: dict[str, set[int]] = {}
        for record in self.records:
            self._take(record)

    def _take(self, record: Record) -> None:
        study, dataset, model, seed = _identity(record)
        self._models.setdefault(study, set()).add(model)
        self._datasets.setdefault(study, set()).add(dataset)
        self._seeds.setdefault(study, set()).add(seed)
        if record.get("fit"):
            self._fits.setdefault((study, dataset, model), {})[seed] = record["fit"]
        if record.get("status") != "done":
            self._fail(record, None, record)
        for variant in record.get("variants") or ():
            if variant.get("status", "done") == "done":
                place = study, dataset, model, variant["name"]
                self._runs.setdefault(place, {})[seed] = variant
            else:
                self._fail(record, variant["name"], variant)

    def _fail(self, record: Record, variant: str | None, part: Record) -> None:
        study, dataset, model, seed = _identity(record)
        error = part.get("error") or {}
        reason = [str(error[key]) for key in ("type", "message") if error.get(key)]
        status = str(part.get("status"))
        self.failures.append(
            Failure(study, dataset, model, variant, seed, status, ": ".join(reason))
        )

    @cached_property
    def studies(self) -> list[str]:
        """The studies that have records, in the paper's order."""
        known = [study for study in STUDIES if study in self._models]
        return [*known, *sorted(self._models.keys() - set(known))]

    @cached_property
    def facts(self) -> dict[str, DatasetFacts]:
        """What is known of each dataset, in order of size."""
        found: dict[str, DatasetFacts] = {}
        for record in self.records:
            name, data = record["dataset"], record.get("data") or {}
            if name not in found or (data and not found[name].n):
                found[name] = _facts(name, data)
        ordered = sorted(found.values(), key=lambda facts: facts.order)
        return {facts.name: facts for facts in ordered}

    def datasets(self, study: str) -> list[str]:
        """Return the datasets of a study in order of size."""
        found = self._datasets.get(study, set())
        return [name for name in self.facts if name in found]

    def models(self, study: str) -> list[str]:
        """Return the models of a study in the paper's order, failed ones too."""
        return sorted(self._models.get(study, set()), key=model_order)

    def variants(self, study: str) -> list[str]:
        """Return the variants of a study that were done, in a fixed order."""
        found = {variant for part, _, _, variant in self._runs if part == study}
        return sorted(found, key=variant_order)

    def seeds(self, study: str) -> list[int]:
        """Return all seeds of a study."""
        return sorted(self._seeds.get(study, set()))

    @cached_property
    def missing(self) -> list[tuple[str, str, str, int]]:
        """The cells without a record: datasets × models × seeds of each study."""
        there = {_identity(record) for record in self.records}
        return [
            cell
            for study in self.studies
            for dataset in self.datasets(study)
            for model in self.models(study)
            for seed in self.seeds(study)
            if (cell := (study, dataset, model, seed)) not in there
        ]

    def label(self, model: str) -> str:
        """Return how a model is written."""
        return model_label(model, self._labels.get(model))

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {r["model"]: r["label"] for r in self.records if r.get("label")}

    def fits(self, study: str, dataset: str, model: str) -> dict[int, Record]:
        """Return what is recorded of the training, by seed."""
        return self._fits.get((study, dataset, model), {})

    def runs(
        self, study: str, dataset: str, model: str, variant: str
    ) -> dict[int, Record]:
        """Return the records of a variant by seed; failed ones are left out."""
        return self._runs.get((study, dataset, model, variant), {})

    def values(
        self,
        study: str,
        dataset: str,
        model: str,
        variant: str,
        name: str,
        part: str = "metrics",
    ) -> dict[int, float]:
        """Return a number of a variant by seed, where it is there.

        *part* is "metrics", "counts" or "seconds".
        """
        runs = self.runs(study, dataset, model, variant)
        found = {seed: (run.get(part) or {}).get(name) for seed, run in runs.items()}
        return {seed: float(v) for seed, v in found.items() if v is not None}

    def interval(
        self,
        study: str,
        dataset: str,
        model: str,
        variant: str,
        name: str,
        part: str = "metrics",
    ) -> Interval | None:
        """Return mean and interval over all seeds of a variant, if there is one."""
        values = self.values(study, dataset, model, variant, name, part)
        return mean_interval(list(values.values())) if values else None

    def failed(self, study: str, dataset: str, model: str) -> bool:
        """Say whether a cell or a variant of it failed with at least one seed."""
        return (study, dataset, model) in self._failed_cells

    @cached_property
    def _failed_cells(self) -> set[tuple[str, str, str]]:
        return {(f.study, f.dataset, f.model) for f in self.failures}


def _identity(record: Record) -> tuple[str, str, str, int]:
    return record["study"], record["dataset"], record["model"], int(record["seed"])


def _facts(name: str, data: Mapping[str, Any]) -> DatasetFacts:
    return DatasetFacts(
        name,
        int(data.get("n") or 0),
        int(data.get("n_test") or 0),
        str(data.get("size") or "unknown"),
        float(data.get("censored") or 0.0),
        int(data.get("n_features") or 0),
        bool(data.get("simulated")),
    )
