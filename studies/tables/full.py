"""The full results: every dataset, model and metric."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, Pair
from studies.measures import MEASURES
from studies.names import variant_label
from studies.results import Results
from studies.tables.notes import HOLM_IN_METRIC, MEAN, TESTS, holm_note
from studies.tables.table import PValue, Table, Value

__all__ = ["full_results"]

STUDY = "main"
_HEADINGS = ("verdict", "p paired", "p unpaired", "Holm", "Holm in metric")


def full_results(results: Results, pairs: Sequence[Pair]) -> Table:
    """Return all cells: the mean of each variant and the tests against raw.

    Parameters
    ----------
    results : Results
    pairs : sequence of Pair
        Those that begin with raw are shown.
    """
    against_raw = [pair for pair in pairs if pair.first == "raw"]
    variants = ["raw", *(pair.second for pair in against_raw)]
    cells = {
        (pair.second, cell.dataset, cell.model, cell.measure.name): cell
        for pair in against_raw
        for cell in pair.cells
    }
    rows = []
    for dataset in results.datasets(STUDY):
        for model in results.models(STUDY):
            mark = "†" if results.failed(STUDY, dataset, model) else ""
            for name, measure in MEASURES.items():
                tests = [cells.get((v, dataset, model, name)) for v in variants[1:]]
                rows.append(
                    (
                        dataset,
                        results.label(model) + mark,
                        measure.label,
                        *(
                            results.interval(STUDY, dataset, model, v, name)
                            for v in variants
                        ),
                        *(value for test in tests for value in _tests(test)),
                    )
                )
    columns = (
        "dataset",
        "model",
        "metric",
        *map(variant_label, variants),
        *(f"{pair.labels[1]} {name}" for pair in against_raw for name in _HEADINGS),
    )
    note = (
        f"{MEAN} † failed with at least one seed. Verdict and tests: against raw. "
        f"{holm_note(against_raw)} {HOLM_IN_METRIC}"
    )
    return Table("full_results", "Full results", note, columns, tuple(rows), TESTS)


def _tests(cell: CellComparison | None) -> tuple[Value, ...]:
    if cell is None:
        return (None,) * len(_HEADINGS)
    p_values = cell.p_paired, cell.p_unpaired, cell.p_holm, cell.p_holm_metric
    return cell.verdict, *map(PValue, p_values)
