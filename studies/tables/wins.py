"""The paper's Table 2: how often one variant is better than another."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, Pair, tally
from studies.measures import MEASURES
from studies.results import Results
from studies.tables.notes import TESTS, holm_note
from studies.tables.table import Table, Value

__all__ = ["dataset_groups", "win_counts"]

# The paper's Table 2: CSD better / raw better and ties; of these significant.
_PAPER = {
    "c_index": ("13/3, 60 ties", "0/0"),
    "d_calibration": ("68/8, 0 ties", "35/1"),
    "km_calibration": ("56/20, 0 ties", "30/7"),
    "integrated_brier_score": ("61/12, 3 ties", "14/0"),
    "mae_po": ("45/30, 1 tie", "4/0"),
}


def win_counts(results: Results, pair: Pair) -> Table:
    """Return how often the second variant is better and worse than the first."""
    a, b = pair.labels
    as_paper = (pair.first, pair.second) == ("raw", "csd")
    rows = [
        (group, *_counts(name, part), *(_PAPER[name] if as_paper else ()))
        for group, names in dataset_groups(results, pair.study).items()
        for name in MEASURES
        if (part := pair.part(names, name))
    ]
    columns: tuple[str, ...] = (
        "datasets",
        "metric",
        "comparisons",
        f"{b} better",
        f"{a} better",
        "ties",
        f"significant, {b}/{a}",
        "unpaired",
        "Holm",
    )
    note = (
        f"The last columns count significant cells, {b} better / {a} better: by the "
        "paired test, the unpaired one, and the paired one after Holm. "
        f"{holm_note([pair], with_all=True)}"
    )
    if as_paper:
        columns += ("paper (76): CSD/raw better", "paper significant")
        note += (
            " The paper has 76 comparisons on eleven datasets, three of them not "
            "public, and does not say whether its t-test is paired."
        )
    title = f"How often {b} is better than {a}"
    name = f"wins_{pair.second}_against_{pair.first}"
    return Table(name, title, note, columns, tuple(rows), TESTS)


def _counts(name: str, part: Sequence[CellComparison]) -> tuple[Value, ...]:
    n = tally(part)
    return (
        MEASURES[name].label,
        n.n,
        n.better,
        n.worse,
        n.ties,
        f"{n.better_significant}/{n.worse_significant}",
        f"{n.better_unpaired}/{n.worse_unpaired}",
        f"{n.better_holm}/{n.worse_holm}",
    )


def dataset_groups(results: Results, study: str) -> dict[str, list[str]]:
    """Return the datasets by kind; all of them only where there are both kinds."""
    known = results.datasets(study)
    groups: dict[str, list[str]] = {"public": [], "simulated": []}
    for name in known:
        groups[results.facts[name].kind].append(name)
    if all(groups.values()):
        groups["all"] = known
    return {kind: names for kind, names in groups.items() if names}
