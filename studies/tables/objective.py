"""The table of the objective study: losses that aim at calibration against CSD."""

from __future__ import annotations

from studies.measures import MEASURES
from studies.names import variant_label
from studies.results import Results
from studies.tables.notes import MEAN
from studies.tables.table import Table

__all__ = ["objective_bars", "objective_table"]

STUDY = "objective"


def objective_bars(results: Results) -> list[tuple[str, str, str]]:
    """Return the fits and variants of the study: (model, variant, how written)."""
    bars = [(model, "raw", results.label(model)) for model in results.models(STUDY)]
    first = "lognormal-likelihood"
    return bars + [
        (first, variant, f"{results.label(first)} + {variant_label(variant)}")
        for variant in results.variants(STUDY)
        if variant != "raw"
    ]


def objective_table(results: Results) -> Table:
    """Return the metrics of every loss on every dataset, and KM's beside them."""
    rows = []
    for dataset in results.datasets(STUDY):
        for model, variant, text in objective_bars(results):
            values = [
                results.interval(STUDY, dataset, model, variant, name)
                for name in MEASURES
            ]
            if any(values):
                rows.append((dataset, text, *values))
        dummy = [
            results.interval("main", dataset, "km", "raw", name) for name in MEASURES
        ]
        if any(dummy):
            rows.append((dataset, "KM dummy", *dummy))
    labels = (measure.label for measure in MEASURES.values())
    note = (
        "LogNormalNN with the log-likelihood (LL), CRPS, and LL plus X-cal or SFM at "
        f"weights 10⁰ to 10⁵, against LL adjusted by CSD. {MEAN} The dummy is from the "
        "main study."
    )
    title = "Losses that aim at calibration against CSD"
    columns = ("dataset", "loss", *labels)
    return Table("objective", title, note, columns, tuple(rows))
