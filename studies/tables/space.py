"""The paper's table of space: conformal quantile regression and the rules."""

from __future__ import annotations

import numpy as np

from studies import cost
from studies.names import variant_label
from studies.results import Results
from studies.tables.table import Table, Value

__all__ = ["space_table"]

_MIB = 2**20
_UNCENSORED = "uncensored"


def space_table(results: Results) -> Table:
    """Return the space of the conformity scores by formula, and what was measured."""
    rows: list[tuple[Value, ...]] = []
    for dataset in results.datasets(cost.STUDY):
        found = [_row(results, dataset, rule) for rule in cost.cost_rules(results)]
        lines = [line for line in found if line]
        if lines:
            n = max(int(line[2]) for line in lines if isinstance(line[2], int))
            rows.append((dataset, "CQR", "N", n, 1, None, 8 * n / _MIB, None))
            rows += [(dataset, *line) for line in lines]
    columns = (
        "dataset",
        "method",
        "scores",
        "N",
        "P",
        "R",
        "MiB by formula",
        "MiB measured",
    )
    note = (
        "Conformity scores of 8 bytes that the method as printed keeps, and the peak "
        "while the shifts were found here (mean over models and seeds); ours goes "
        "level by level and draws for censored subjects only. N: conformal subjects, "
        "mean over models and seeds (for 'uncensored' the share with an event); P: "
        "levels; R: samples. CQR is one level. KM exact is the limit R → ∞ of "
        "KM-sampling and keeps no samples."
    )
    title = "Space: CQR and the censoring rules"
    return Table("space", title, note, columns, tuple(rows))


def _row(results: Results, dataset: str, rule: str) -> tuple[Value, ...] | None:
    runs = [
        run
        for model in results.models(cost.STUDY)
        for run in results.runs(cost.STUDY, dataset, model, rule).values()
    ]
    sizes = [(run.get("counts") or {}).get("n_conformal") for run in runs]
    known = [float(n) for n in sizes if n]
    if not known:
        return None
    n, levels = float(np.mean(known)), int(runs[0].get("percentiles") or 1)
    if rule == _UNCENSORED:
        n *= 1 - results.facts[dataset].censored
    samples = runs[0].get("n_samples")
    peaks = [float(run["peak_memory"]) for run in runs if run.get("peak_memory")]
    return (
        variant_label(rule),
        "N·P·R" if samples else "N·P",
        round(n),
        levels,
        samples,
        8 * n * levels * (samples or 1) / _MIB,
        float(np.mean(peaks)) / _MIB if peaks else None,
    )
