"""Tables of the ablations: every cell, and ranks by group of size."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from consurv._checks import Float
from studies.measures import MEASURES, Measure
from studies.names import SIZES, variant_label
from studies.results import Results
from studies.statistics import mean_interval, rounded
from studies.tables.notes import MEAN
from studies.tables.table import Table, Value

__all__ = ["ABLATIONS", "ablation_cells", "ablation_ranks", "cell_ranks"]

# Study -> what is varied.
ABLATIONS = {
    "ablation-censoring": "what a censored subject contributes",
    "ablation-conformal-set": "which subjects set the shifts",
    "ablation-percentiles": "the number of percentiles",
}


def ablation_cells(results: Results, study: str) -> Table:
    """Return the mean of every variant in every cell of an ablation."""
    variants = results.variants(study)
    rows = [
        (dataset, results.label(model), measure.label, *values)
        for dataset in results.datasets(study)
        for model in results.models(study)
        for name, measure in MEASURES.items()
        if any(
            values := [
                results.interval(study, dataset, model, variant, name)
                for variant in variants
            ]
        )
    ]
    columns = ("dataset", "model", "metric", *map(variant_label, variants))
    note = f"{MEAN} One fit per seed for all variants."
    title = f"Ablation, {ABLATIONS[study]}: all cells"
    return Table(_file(study, "cells"), title, note, columns, tuple(rows))


def ablation_ranks(results: Results, study: str) -> Table:
    """Return mean ranks and wins of the variants by group of size and metric."""
    variants = _ranked_variants(results, study)
    rows: list[tuple[Value, ...]] = []
    for size in (*SIZES, "all"):
        names = [
            name
            for name in results.datasets(study)
            if size in ("all", results.facts[name].size)
        ]
        for measure in MEASURES.values():
            ranks = cell_ranks(results, study, variants, measure, names)
            if len(ranks):
                rows.append((size, measure.label, len(ranks), *_rank_texts(ranks)))
    columns = ("size", "metric", "cells", *map(variant_label, variants))
    note = (
        "Mean rank over the cells (dataset × model) that have all variants; 1 is best. "
        "In brackets: in how many of them the variant is best, ties counted for all. "
        "Means over seeds are ranked after rounding to four significant digits."
    )
    title = f"Ablation, {ABLATIONS[study]}: mean rank (cells won)"
    return Table(_file(study, "ranks"), title, note, columns, tuple(rows))


def cell_ranks(
    results: Results,
    study: str,
    variants: list[str],
    measure: Measure,
    datasets: list[str],
) -> Float:
    """Return the ranks (cells, variants) in the cells that have all variants.

    The means are over the seeds that all variants have.
    """
    ranks = []
    for dataset in datasets:
        for model in results.models(study):
            by_seed = [
                results.values(study, dataset, model, variant, measure.name)
                for variant in variants
            ]
            seeds = sorted(set.intersection(*(set(part) for part in by_seed)))
            if seeds:
                means = [
                    rounded(mean_interval([part[seed] for seed in seeds]).mean)
                    for part in by_seed
                ]
                sign = -1 if measure.higher_is_better else 1
                ranks.append(rankdata(sign * np.array(means)))
    return np.array(ranks).reshape(len(ranks), len(variants))


def _ranked_variants(results: Results, study: str) -> list[str]:
    """Leave out what only some models have, such as the set "train"."""
    known = results.variants(study)
    if study != "ablation-conformal-set":
        return known
    return [name for name in known if name != "train"]


def _rank_texts(ranks: Float) -> list[str]:
    best = ranks == ranks.min(axis=1, keepdims=True)
    return [
        f"{mean:.2f} ({wins})"
        for mean, wins in zip(ranks.mean(axis=0), best.sum(axis=0), strict=True)
    ]


def _file(study: str, kind: str) -> str:
    return f"{study.replace('-', '_')}_{kind}"
