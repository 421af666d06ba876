"""Where one variant stands against another: by dataset, and cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, Pair, tally
from studies.measures import MEASURES
from studies.results import Results
from studies.tables.notes import TESTS, holm_note
from studies.tables.table import Table

__all__ = ["standing", "standing_by_dataset"]


def standing_by_dataset(results: Results, pair: Pair) -> Table:
    """Return how often the second variant is better and worse on each dataset."""
    rows = []
    for dataset in results.datasets(pair.study):
        facts = results.facts[dataset]
        failed = [
            results.label(model)
            for model in results.models(pair.study)
            if _came_to_nothing(results, pair.study, dataset, model)
        ]
        rows.append(
            (
                dataset,
                f"{facts.size}, simulated" if facts.simulated else facts.size,
                facts.n,
                f"{facts.censored:.1%}",
                *(_counts(pair.part([dataset], name)) for name in MEASURES),
                ", ".join(failed),
            )
        )
    labels = (measure.label for measure in MEASURES.values())
    columns = ("dataset", "size", "n", "censored", *labels, "failed")
    a, b = pair.labels
    note = (
        f"Number of models for which {b} is better / worse / tied against {a}; in "
        "brackets those better / worse significantly by the paired test."
    )
    name = f"standing_{pair.second}_against_{pair.first}"
    title = f"{b} against {a} by dataset"
    return Table(name, title, note, columns, tuple(rows), TESTS)


def _counts(part: Sequence[CellComparison]) -> str | None:
    if not part:
        return None
    n = tally(part)
    significant = f"({n.better_significant}/{n.worse_significant})"
    return f"{n.better}/{n.worse}/{n.ties} {significant}"


def _came_to_nothing(results: Results, study: str, dataset: str, model: str) -> bool:
    failed = results.failed(study, dataset, model)
    return failed and not results.runs(study, dataset, model, "raw")


def standing(results: Results, pair: Pair) -> Table:
    """Return a mark for each cell: better or worse, and how surely."""
    cells = {(c.dataset, c.model, c.measure.name): c for c in pair.cells}
    rows = []
    for dataset in results.datasets(pair.study):
        for model in results.models(pair.study):
            failed = results.failed(pair.study, dataset, model)
            marks = [_mark(cells.get((dataset, model, name))) for name in MEASURES]
            if failed or any(marks):
                label = results.label(model) + ("†" if failed else "")
                rows.append((dataset, label, *marks))
    labels = (measure.label for measure in MEASURES.values())
    a, b = pair.labels
    note = (
        f"{b} against {a}: + better, − worse, = tie. Two signs: significant by the "
        f"paired test; three: also after Holm. {holm_note([pair])} † failed with at "
        "least one seed."
    )
    name = f"cells_{pair.second}_against_{pair.first}"
    title = f"{b} against {a}, cell by cell"
    columns = ("dataset", "model", *labels)
    return Table(name, title, note, columns, tuple(rows), TESTS)


def _mark(cell: CellComparison | None) -> str | None:
    if cell is None:
        return None
    if cell.verdict == "tie":
        return "="
    sign = "+" if cell.verdict == "better" else "−"
    sure = cell.is_significant(cell.p_paired) + cell.is_significant(cell.p_holm)
    return sign * (1 + sure)
