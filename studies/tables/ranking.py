"""Where an adjustment changed the C-index, and what it did to the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studies.comparison import CellComparison, Pair, tally
from studies.results import Results
from studies.tables.notes import TESTS, holm_note
from studies.tables.table import PValue, Table, Value
from studies.tables.wins import dataset_groups
from studies.variants import CIPOT

__all__ = ["c_index_changes", "mean_share", "ranking_changes"]

_METRIC = "c_index"
_OF_SHIFTS = (
    "The theorem on ranking holds for test rows that are not rearranged; clipping can "
    "only make ties."
)
_OF_LEVELS = (
    "Moving levels may change the ranking where raw curves cross each other, for "
    "better or worse; no row is rearranged or clipped."
)


def c_index_changes(results: Results, pairs: Sequence[Pair]) -> Table:
    """Return what each adjustment does to the C-index over all cells.

    Parameters
    ----------
    results : Results
    pairs : sequence of Pair
        Those that begin with raw are shown.
    """
    against_raw = [pair for pair in pairs if pair.first == "raw"]
    rows = [
        (pair.labels[1], group, *_changes(part))
        for pair in against_raw
        for group, names in dataset_groups(results, pair.study).items()
        if (part := pair.part(names, _METRIC))
    ]
    columns = (
        "adjustment",
        "datasets",
        "cells",
        "mean change",
        "largest fall",
        "largest rise",
        "better",
        "worse",
        "ties",
        "significant, better/worse",
        "Holm",
    )
    note = (
        "C-index after the adjustment minus that of the raw curves, cell by cell (mean "
        f"over seeds). Shifts (CSD, auto): {_OF_SHIFTS} CiPOT: {_OF_LEVELS} "
        f"{holm_note(against_raw)}"
    )
    title = "Changes of the C-index against raw"
    return Table("c_index_changes", title, note, columns, tuple(rows), TESTS)


def _changes(part: Sequence[CellComparison]) -> tuple[Value, ...]:
    changes = [cell.change.mean for cell in part]
    n = tally(part)
    return (
        n.n,
        float(np.mean(changes)),
        min(0.0, *changes),
        max(0.0, *changes),
        n.better,
        n.worse,
        n.ties,
        f"{n.better_significant}/{n.worse_significant}",
        f"{n.better_holm}/{n.worse_holm}",
    )


def ranking_changes(results: Results, pair: Pair) -> Table:
    """Return the cells whose C-index is not tied.

    Shifts keep the order of medians for rows that are neither rearranged nor clipped,
    so their shares say where a change comes from.
    """
    changed = [
        cell
        for cell in pair.cells
        if cell.measure.name == _METRIC and cell.verdict != "tie"
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
        f"Cells in which the C-index of {b} is no tie with that of {a}. "
        f"{_OF_LEVELS if pair.second == CIPOT else _OF_SHIFTS} The last columns are "
        f"shares of test rows. {holm_note([pair])}"
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
