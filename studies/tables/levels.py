"""Wins by whether the raw curves were calibrated already."""

from __future__ import annotations

from collections.abc import Sequence

from studies.comparison import CellComparison, Pair, tally
from studies.measures import CALIBRATION, MEASURES
from studies.results import Results
from studies.tables.notes import DUMMY, TESTS
from studies.tables.table import Table, Value
from studies.tables.wins import dataset_groups

__all__ = ["wins_by_level"]

_OFF, _AT = "off", "at the dummy's level"


def wins_by_level(results: Results, pairs: Sequence[Pair]) -> Table:
    """Return how often each adjustment helps, by what it found.

    Parameters
    ----------
    results : Results
    pairs : sequence of Pair
        Of the same study.
    """
    rows: list[tuple[Value, ...]] = []
    study = pairs[0].study if pairs else ""
    for group, datasets in dataset_groups(results, study).items():
        for name in CALIBRATION:
            for level in (_OFF, _AT):
                parts = [
                    [
                        c
                        for c in pair.part(datasets, name)
                        if _level(results, pair, c) == level
                    ]
                    for pair in pairs
                ]
                n = max((len(part) for part in parts), default=0)
                if n:
                    label = MEASURES[name].label
                    rows.append((group, label, level, n, *map(_counts, parts)))
    columns = ("datasets", "metric", "raw is", "cells", *map(_heading, pairs))
    note = (
        "Better / worse / tied, and in brackets better / worse significantly by the "
        "paired test. Raw is off where its mean lies above the 95 % interval of the "
        f"Kaplan–Meier dummy's. {DUMMY}"
    )
    title = "Calibration won and lost, by how calibrated the raw curves are"
    return Table("wins_by_level", title, note, columns, tuple(rows), TESTS)


def _heading(pair: Pair) -> str:
    first, second = pair.labels
    return f"{second} against {first}"


def _level(results: Results, pair: Pair, cell: CellComparison) -> str | None:
    name = cell.measure.name
    raw = results.interval(pair.study, cell.dataset, cell.model, "raw", name)
    dummy = results.interval(pair.study, cell.dataset, "km", "raw", name)
    if raw is None or dummy is None:
        return None
    return _OFF if raw.mean > (dummy.high or dummy.mean) else _AT


def _counts(part: Sequence[CellComparison]) -> str:
    n = tally(part)
    significant = f"({n.better_significant}/{n.worse_significant})"
    return f"{n.better}/{n.worse}/{n.ties} {significant}"
