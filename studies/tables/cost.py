"""Tables of time and memory, which differ from run to run."""

from __future__ import annotations

from collections.abc import Callable

from studies import cost
from studies.names import variant_label
from studies.results import Results
from studies.tables.notes import MEAN
from studies.tables.table import Table

__all__ = ["extra_table", "memory_table", "relative_table"]

_MIB = 2**20


def extra_table(results: Results) -> Table:
    """Return the seconds that the conformal step adds to the training."""
    note = (
        "Seconds of the conformal step: predicting the conformal set and finding the "
        f"shifts. {MEAN}"
    )
    title = "Extra running time in seconds"
    return _by_rule(results, "extra_seconds", title, note, cost.extra_seconds)


def relative_table(results: Results) -> Table:
    """Return the running time relative to the training alone."""
    note = f"(Training + conformal step) / training. {MEAN}"
    title = "Relative running time"
    return _by_rule(results, "relative_time", title, note, cost.relative_time)


def memory_table(results: Results) -> Table:
    """Return the peak memory of the conformal step in MiB."""

    def mebibytes(*cell: str) -> list[float]:
        return [value / _MIB for value in cost.peak_memory(results, *cell)]

    note = f"Peak memory while the shifts are found. {MEAN}"
    title = "Peak memory in MiB"
    return _by_rule(
        results, "peak_memory", title, note, lambda _, *cell: mebibytes(*cell)
    )


def _by_rule(
    results: Results,
    name: str,
    title: str,
    note: str,
    values: Callable[[Results, str, str, str], list[float]],
) -> Table:
    rules = cost.cost_rules(results)
    rows = [
        (dataset, results.facts[dataset].n, results.label(model), *row)
        for dataset in results.datasets(cost.STUDY)
        for model in results.models(cost.STUDY)
        if any(
            row := [
                cost.interval_of(values(results, dataset, model, rule))
                for rule in rules
            ]
        )
    ]
    columns = ("dataset", "n", "model", *map(variant_label, rules))
    return Table(name, title, note, columns, tuple(rows))
