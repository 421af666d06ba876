"""Two variants of the same fits compared, cell by cell, over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studies.measures import MEASURES, Measure
from studies.names import variant_label
from studies.results import Results
from studies.statistics import (
    Interval,
    holm,
    mean_interval,
    paired_test,
    same_digits,
    unpaired_test,
)

__all__ = [
    "SIGNIFICANT",
    "CellComparison",
    "Pair",
    "Tally",
    "compare_variants",
    "tally",
]

SIGNIFICANT = 0.05

Verdict = Literal["better", "worse", "tie"]


@dataclass(frozen=True)
class CellComparison:
    """A metric of two variants on one dataset with one model.

    Attributes
    ----------
    dataset, model : str
    kind : str
        Of the dataset, "public" or "simulated".
    measure : Measure
    first, second : Interval
        Their means over the seeds that both have.
    change : Interval
        Of second minus first.
    p_paired, p_unpaired : float or None
        Of two-sided t-tests; ``None`` with one seed.
    p_holm : float or None
        The paired p-value after Holm over all cells and metrics compared on datasets
        of the same kind.
    p_holm_metric : float or None
        The same over the cells of this metric alone, a smaller family.
    """

    dataset: str
    model: str
    kind: str
    measure: Measure
    first: Interval
    second: Interval
    change: Interval
    p_paired: float | None
    p_unpaired: float | None
    p_holm: float | None = None
    p_holm_metric: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the second is better; means equal to four digits are a tie."""
        first, second = self.first.mean, self.second.mean
        if same_digits(first, second):
            return "tie"
        return "better" if self.measure.better(second, first) else "worse"

    def is_significant(self, p: float | None) -> bool:
        """Say whether there is a difference (not a tie) at the level 0.05."""
        return self.verdict != "tie" and p is not None and p < SIGNIFICANT

    @property
    def significant(self) -> bool:
        """Whether the paired test sees a difference."""
        return self.is_significant(self.p_paired)

    @property
    def comparable(self) -> bool:
        """Whether each mean lies in the interval of the other."""
        return self.verdict == "tie" or (
            self.first.holds(self.second.mean) and self.second.holds(self.first.mean)
        )


@dataclass(frozen=True)
class Pair:
    """Two variants of a study, compared in all its cells."""

    study: str
    first: str
    second: str
    cells: Sequence[CellComparison]

    @classmethod
    def of(cls, results: Results, study: str, first: str, second: str) -> Pair:
        """Compare two variants in all cells and metrics."""
        cells = compare_variants(results, study, first, second)
        return cls(study, first, second, cells)

    @property
    def labels(self) -> tuple[str, str]:
        """How the two are written."""
        return variant_label(self.first), variant_label(self.second)

    @property
    def n_tests(self) -> dict[str, int]:
        """How many tests Holm's family of each kind of datasets has, public first."""
        tests = Counter(cell.kind for cell in self.cells if cell.p_paired is not None)
        return dict(sorted(tests.items()))

    def part(
        self, datasets: Iterable[str], metric: str | None = None
    ) -> list[CellComparison]:
        """Return the cells of some datasets, and of one metric if it is given."""
        names = set(datasets)
        return [
            cell
            for cell in self.cells
            if cell.dataset in names and metric in (None, cell.measure.name)
        ]


@dataclass(frozen=True)
class Tally:
    """How often the second variant was better and worse, significantly in brackets."""

    n: int
    better: int
    worse: int
    ties: int
    better_significant: int
    worse_significant: int
    better_unpaired: int
    worse_unpaired: int
    better_holm: int
    worse_holm: int


def compare_variants(
    results: Results,
    study: str,
    first: str,
    second: str,
    *,
    metrics: Iterable[str] = tuple(MEASURES),
    datasets: Iterable[str] | None = None,
) -> list[CellComparison]:
    """Compare two variants in every cell that has both.

    Means and tests are over the seeds that both variants have. A tie is equality of
    the means after rounding each to four significant digits; a tie is never
    significant. Holm's family is all cells and metrics of this call on public datasets,
    or on simulated ones: how many of the one kind there are is nothing to the other.

    Parameters
    ----------
    results : Results
    study, first, second : str
        The study and two of its variants.
    metrics : iterable of str
    datasets : iterable of str, optional
        By default all of the study.

    Returns
    -------
    list of CellComparison
        By dataset, model and metric.
    """
    wanted = results.datasets(study) if datasets is None else list(datasets)
    found = [
        cell
        for dataset in wanted
        for model in results.models(study)
        for metric in metrics
        if (cell := _compare(results, study, (first, second), dataset, model, metric))
    ]
    return _with_holm(found)


def _compare(
    results: Results,
    study: str,
    pair: tuple[str, str],
    dataset: str,
    model: str,
    metric: str,
) -> CellComparison | None:
    a, b = (results.values(study, dataset, model, name, metric) for name in pair)
    seeds = sorted(a.keys() & b.keys())
    if not seeds:
        return None
    x, y = [a[seed] for seed in seeds], [b[seed] for seed in seeds]
    return CellComparison(
        dataset,
        model,
        results.facts[dataset].kind,
        MEASURES[metric],
        mean_interval(x),
        mean_interval(y),
        mean_interval([after - before for before, after in zip(x, y, strict=True)]),
        paired_test(x, y),
        unpaired_test(x, y),
    )


def _with_holm(cells: Sequence[CellComparison]) -> list[CellComparison]:
    of_kind = _holm_by(cells, [cell.kind for cell in cells])
    of_metric = _holm_by(cells, [(cell.kind, cell.measure.name) for cell in cells])
    return [
        replace(cell, p_holm=p, p_holm_metric=p_metric)
        for cell, p, p_metric in zip(cells, of_kind, of_metric, strict=True)
    ]


def _holm_by(
    cells: Sequence[CellComparison], families: Sequence[Hashable]
) -> list[float | None]:
    """Return the adjusted paired p-values, each family on its own."""
    adjusted: dict[int, float | None] = {}
    for family in dict.fromkeys(families):
        own = [i for i, other in enumerate(families) if other == family]
        adjusted |= dict(zip(own, holm([cells[i].p_paired for i in own]), strict=True))
    return [adjusted[i] for i in range(len(cells))]


def tally(cells: Iterable[CellComparison]) -> Tally:
    """Count wins, losses and ties of the second variant."""
    part = list(cells)

    def count(verdict: Verdict, p: str | None = None) -> int:
        return sum(
            cell.verdict == verdict
            and (p is None or cell.is_significant(getattr(cell, p)))
            for cell in part
        )

    return Tally(
        n=len(part),
        better=count("better"),
        worse=count("worse"),
        ties=count("tie"),
        better_significant=count("better", "p_paired"),
        worse_significant=count("worse", "p_paired"),
        better_unpaired=count("better", "p_unpaired"),
        worse_unpaired=count("worse", "p_unpaired"),
        better_holm=count("better", "p_holm"),
        worse_holm=count("worse", "p_holm"),
    )
