"""Tables of what was run, what failed and what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from studies.names import STUDIES
from studies.results import Failure, Results
from studies.tables.table import Table, Value

__all__ = [
    "environment_texts",
    "failures_table",
    "found_table",
    "missing_table",
    "seeds_text",
    "settings_table",
]


def found_table(results: Results) -> Table:
    """Return how many cells each study has, and how many of them failed."""
    rows: list[tuple[Value, ...]] = []
    for study in dict.fromkeys((*STUDIES, *results.studies)):
        status = Counter(r["status"] for r in results.records if r["study"] == study)
        rows.append(
            (
                study,
                len(results.datasets(study)),
                len(results.models(study)),
                len(results.seeds(study)),
                status["done"],
                sum(status.values()) - status["done"],
                ", ".join(results.datasets(study)) or "no records",
            )
        )
    columns = ("study", "datasets", "models", "seeds", "done", "failed", "which")
    note = "Cells by study. Every cell is a dataset, a model and a seed."
    return Table("coverage", "What was run", note, columns, tuple(rows))


def failures_table(results: Results) -> Table:
    """Return what failed, with the reason, seeds of one cell together."""
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for f in results.failures:
        what = results.label(f.model) + (f", {f.variant}" if f.variant else "")
        # Messages of one error may differ in their numbers.
        kind = f.reason.partition(":")[0]
        key = f.study, f.dataset, what, f.status, kind
        groups.setdefault(key, []).append(f)
    rows = [
        (
            study,
            dataset,
            what,
            seeds_text(f.seed for f in group),
            status,
            group[0].reason,
        )
        for (study, dataset, what, status, _), group in groups.items()
    ]
    columns = ("study", "dataset", "model", "seeds", "status", "reason")
    note = "Failed cells are † in the figures. The reason is that of the first seed."
    return Table("failures", "What failed", note, columns, tuple(rows))


def missing_table(results: Results) -> Table:
    """Return the cells without a record, though others of the study have one."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for study, dataset, model, seed in results.missing:
        groups.setdefault((study, dataset, results.label(model)), []).append(seed)
    rows = tuple((*cell, seeds_text(seeds)) for cell, seeds in groups.items())
    columns = ("study", "dataset", "model", "seeds")
    note = "Cells without a record: datasets × models × seeds found in the study."
    return Table("missing", "What is missing", note, columns, rows)


def settings_table(results: Results) -> Table:
    """Return the settings that records name for each model, other than defaults."""
    found: dict[str, dict[str, None]] = {}
    for record in results.records:
        settings = record.get("settings") or {}
        text = ", ".join(f"{k}={json.dumps(v)}" for k, v in sorted(settings.items()))
        found.setdefault(results.label(record["model"]), {})[text or "defaults"] = None
    rows = tuple((model, "; or ".join(texts)) for model, texts in found.items())
    note = "As recorded with each cell; the same for all datasets and seeds of a line."
    return Table(
        "settings", "Settings of the models", note, ("model", "settings"), rows
    )


def environment_texts(results: Results) -> list[str]:
    """Return the software and processors that the records name, a line for each."""
    found: dict[str, int] = {}
    for record in results.records:
        parts = (record.get("environment") or {}).items()
        text = ", ".join(f"{name} {value}" for name, value in parts)
        if text:
            found[text] = found.get(text, 0) + 1
    return [f"{count} cells were run with {text}." for text, count in found.items()]


def seeds_text(seeds: Iterable[int]) -> str:
    """Write seeds, runs of them as ranges.

    Examples
    --------
    >>> seeds_text([3, 0, 1, 2, 7])
    '0–3, 7'
    """
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs
    )
