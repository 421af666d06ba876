"""The paper's Table 2: how often one variant is better than another."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, Pair, tally
from studies.measures import MEASURES
from studies.names import model_label
from studies.preset.comparators import read_digest
from studies.results import Results
from studies.tables.notes import TESTS, holm_note
from studies.tables.table import Table, Value

__all__ = ["dataset_groups", "win_counts"]


def win_counts(results: Results, pair: Pair) -> Table:
    """Return how often the second variant is better and worse than the first."""
    a, b = pair.labels
    in_figures = {cell.model for cell in read_digest()}
    labels = {model_label(name) for name in results.models(pair.study)}
    as_paper = (pair.first, pair.second) == ("raw", "csd") and labels & in_figures
    rows = [
        (group, *_counts(name, part), *([_figures(group, name)] if as_paper else []))
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
        f"{holm_note([pair])}"
    )
    if as_paper:
        columns += ("paper's figures, CSD/raw/tie",)
        note += (
            " The paper's figures, digitised, are those of the public datasets; its "
            "Table 2 counts 76 cells, 21 of them on data that are not public, and does "
            "not say whether its t-test is paired."
        )
    title = f"How often {b} is better than {a}"
    name = f"wins_{pair.second}_against_{pair.first}"
    return Table(name, title, note, columns, tuple(rows), TESTS)


def _figures(group: str, name: str) -> str | None:
    """Return how often each side is better in the paper's figures, if they show it."""
    label = MEASURES[name].label
    sides = [c.paper for c in read_digest() if c.metric == label]
    if group != "public":
        return None
    return "/".join(str(sides.count(side)) for side in ("CSD", "raw", "tie"))


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
    """Return the datasets by kind.

    Simulations are not added to public datasets: the sum would look like the paper's.
    """
    known = results.datasets(study)
    groups: dict[str, list[str]] = {"public": [], "simulated": []}
    for name in known:
        groups[results.facts[name].kind].append(name)
    return {kind: names for kind, names in groups.items() if names}
