"""The two tables that predictions are written to: curves and percentile times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from consurv._warnings import warn
from consurv.cli.predicting import (
    Predictor,
    curve_table,
    curve_times,
    percentile_table,
)
from consurv.cli.reading import formulas
from consurv.cli.writing import check_writable, writing_all
from consurv.datasets.table import table_suffix
from consurv.errors import InvalidInput

__all__ = ["check_outputs", "warn_of_formulas", "write_predictions"]


def check_outputs(
    outputs: tuple[Path, Path], *, inputs: list[Path], force: bool
) -> None:
    """Refuse files that cannot or should not be written."""
    if outputs[0].resolve() == outputs[1].resolve():
        raise InvalidInput(f"--out and --percentiles-out are the same: {outputs[0]}")
    for path in outputs:
        check_writable(path, inputs=inputs, force=force)


def warn_of_formulas(labels: pd.DataFrame, outputs: tuple[Path, Path]) -> None:
    """Warn if ids would be taken for formulas by a spreadsheet."""
    # They stay as they are: a changed id would no longer find its subject.
    n = formulas(labels)
    if n and any(table_suffix(path).startswith(".csv") for path in outputs):
        warn(
            f"{n} ids begin with =, +, - or @, which a spreadsheet may take for "
            "formulas; they are written as they are, so import the columns as text",
            UserWarning,
        )


def write_predictions(
    predictor: Predictor, outputs: tuple[Path, Path]
) -> Iterator[int]:
    """Predict and write block by block; yield how many rows each block had."""
    levels, times = predictor.model.levels_, None
    with writing_all(*outputs) as (curves, percentiles):
        for prediction in predictor.blocks():
            if times is None:
                follow_up = predictor.model.adjustment_.follow_up
                times = curve_times(prediction, follow_up)
            curves.write(curve_table(prediction, times))
            percentiles.write(percentile_table(prediction, levels))
            yield len(prediction.labels)
