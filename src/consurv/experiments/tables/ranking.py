"""Where an adjustment changed the C-index, and what it did to the rows."""

from __future__ import annotations

from consurv.experiments.comparison import CellComparison, Pair
from consurv.experiments.results import Results
from consurv.experiments.tables.notes import TESTS
from consurv.experiments.tables.table import PValue, Table, Value

__all__ = ["mean_share", "ranking_changes"]


def ranking_changes(results: Results, pair: Pair) -> Table:
    """Return the cells whose C-index is not tied.

    The order of medians is kept for rows that are neither rearranged nor clipped, so
    their shares say where a change comes from.
    """
    changed = [
        cell
        for cell in pair.cells
        if cell.measure.name == "c_index" and cell.verdict != "tie"
    ]
    a, b = pair.labels
    columns = (
        "dataset",
        "model",
        a,
        b,
        "change",
        "p paired",
        "Holm",
        "rearranged",
        "clipped at 0",
    )
    note = (
        f"Cells in which the C-index of {b} is no tie with that of {a}. The theorem on "
        "ranking holds for test rows that are not rearranged; clipping can only make "
        "ties. The last columns are shares of test rows."
    )
    rows = tuple(_row(results, pair, cell) for cell in changed)
    name = f"c_index_{pair.second}_against_{pair.first}"
    title = f"Where {b} changed the C-index"
    return Table(name, title, note, columns, rows, TESTS)


def _row(results: Results, pair: Pair, cell: CellComparison) -> tuple[Value, ...]:
    shares = [
        mean_share(results, pair, cell, name) for name in ("n_rearranged", "n_clipped")
    ]
    return (
        cell.dataset,
        results.label(cell.model),
        cell.first,
        cell.second,
        cell.change,
        PValue(cell.p_paired),
        PValue(cell.p_holm),
        *(None if share is None else f"{share:.1%}" for share in shares),
    )


def mean_share(
    results: Results, pair: Pair, cell: CellComparison, name: str
) -> float | None:
    """Return the mean of a count of the second variant as a share of the test rows."""
    place = pair.study, cell.dataset, cell.model, pair.second
    counts = results.interval(*place, name, "counts")
    n_test = results.facts[cell.dataset].n_test
    return None if counts is None or not n_test else counts.mean / n_test
