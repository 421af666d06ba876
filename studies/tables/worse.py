"""Where an adjustment made things significantly worse, and what might explain it."""

from __future__ import annotations

from studies.comparison import CellComparison, Pair
from studies.measures import CALIBRATION
from studies.results import Results
from studies.statistics import Interval
from studies.tables.notes import DUMMY, HOLM_IN_METRIC, TESTS, holm_note
from studies.tables.ranking import mean_share
from studies.tables.table import PValue, Table, Value

__all__ = ["significantly_worse"]

_MUCH_CENSORED = 0.5
_FEW_SUBJECTS = 100
_MUCH_REARRANGED = 0.1


def significantly_worse(results: Results, pair: Pair) -> Table:
    """Return the cells in which the second variant is significantly worse.

    Those that the paired test finds; the column of Holm says which of them stand
    after all cells and metrics of its kind of datasets were tested together.
    """
    worse = [
        cell for cell in pair.cells if cell.verdict == "worse" and cell.significant
    ]
    a, b = pair.labels
    columns = (
        "dataset",
        "model",
        "metric",
        a,
        b,
        "p paired",
        "p unpaired",
        "Holm",
        "Holm in metric",
        "stands after Holm",
        f"{a} / KM dummy",
        f"{b} / KM dummy",
        "censored",
        "conformal subjects",
        "rearranged",
        "what stands out",
    )
    note = (
        f"Every cell where {b} is worse than {a} by the paired test at 0.05, without "
        f"correction. {holm_note([pair])} {HOLM_IN_METRIC} Stands after Holm: yes if "
        "it is significant in the first family, 'in its metric' if only in the second. "
        "The last columns are what the records say about the cell: the level relative "
        "to the Kaplan–Meier dummy; share censored; subjects "
        "that set the adjustment; share of test rows whose percentile times crossed "
        f"and were rearranged. What stands out: a mean of {a} within the dummy's 95 % "
        f"interval or below it, ≥ {_MUCH_CENSORED:.0%} censored, fewer than "
        f"{_FEW_SUBJECTS} conformal subjects, ≥ {_MUCH_REARRANGED:.0%} rearranged. "
        f"{DUMMY}"
    )
    rows = tuple(_row(results, pair, cell) for cell in worse)
    title = f"Where {b} is significantly worse than {a}"
    name = f"worse_{pair.second}_than_{pair.first}"
    return Table(name, title, note, columns, rows, TESTS)


def _row(results: Results, pair: Pair, cell: CellComparison) -> tuple[Value, ...]:
    censored = results.facts[cell.dataset].censored
    place = pair.study, cell.dataset, cell.model, pair.second
    counts = results.interval(*place, "n_conformal", "counts")
    subjects = counts.mean if counts else None
    rearranged = mean_share(results, pair, cell, "n_rearranged")
    floor = results.interval(pair.study, cell.dataset, "km", "raw", cell.measure.name)
    at_floor = floor is not None and cell.first.mean <= (floor.high or floor.mean)
    reasons = {
        f"{pair.labels[0]} is at the dummy's level already": (
            at_floor and cell.measure.name in CALIBRATION
        ),
        "much is censored": censored >= _MUCH_CENSORED,
        "few conformal subjects": subjects is not None and subjects < _FEW_SUBJECTS,
        "many rows rearranged": (rearranged or 0) >= _MUCH_REARRANGED,
    }
    return (
        cell.dataset,
        results.label(cell.model),
        cell.measure.label,
        cell.first,
        cell.second,
        PValue(cell.p_paired),
        PValue(cell.p_unpaired),
        PValue(cell.p_holm),
        PValue(cell.p_holm_metric),
        _stands(cell),
        _ratio(cell.first, floor),
        _ratio(cell.second, floor),
        f"{censored:.0%}",
        None if subjects is None else round(subjects),
        None if rearranged is None else f"{rearranged:.1%}",
        "; ".join(text for text, holds in reasons.items() if holds) or "nothing",
    )


def _stands(cell: CellComparison) -> str:
    if cell.is_significant(cell.p_holm):
        return "yes"
    return "in its metric" if cell.is_significant(cell.p_holm_metric) else "no"


def _ratio(value: Interval, floor: Interval | None) -> str | None:
    return f"{value.mean / floor.mean:.2f}" if floor and floor.mean else None
