"""``consurv calibrate``: tables in, calibrated curves out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from consurv._warnings import warn
from consurv.cli.console import Steps, notes
from consurv.cli.predicting import Predictor, curve_table, percentile_table
from consurv.cli.reading import Columns, Tables, formulas, read_tables
from consurv.cli.summary import print_summary
from consurv.cli.training import (
    AdjustmentOption,
    CensoringOption,
    ConformalSetOption,
    DropOption,
    EventOption,
    ForceOption,
    IdOption,
    ModelOption,
    PercentilesOption,
    QuietOption,
    SeedOption,
    TimeOption,
    TrainArgument,
    conformal_model,
    train_model,
)
from consurv.cli.writing import beside, check_writable, writing_all
from consurv.datasets.table import table_suffix
from consurv.errors import InvalidInput
from consurv.models import model_name

__all__ = ["calibrate"]


def calibrate(
    train: TrainArgument,
    new: Annotated[
        Path, typer.Argument(help="Subjects to predict, with the same features.")
    ],
    time: TimeOption,
    event: EventOption,
    out: Annotated[
        Path, typer.Option(help="Curves: a row per subject and node. .csv or .parquet.")
    ],
    percentiles_out: Annotated[
        Path | None,
        typer.Option(
            help="Percentile times: a row per subject. By default beside --out, as "
            "NAME.percentiles.SUFFIX."
        ),
    ] = None,
    model: ModelOption = "weibull-aft",
    percentiles: PercentilesOption = 19,
    adjustment: AdjustmentOption = "auto",
    conformal_set: ConformalSetOption = "auto",
    censoring: CensoringOption = "auto",
    id_column: IdOption = None,
    drop: DropOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train a model, conformalize it and write calibrated survival curves.

    If the table of new subjects has the time and event columns too, the curves are
    also scored on them, before and after.
    """
    model = model_name(model)
    outputs = (out, percentiles_out or beside(out, "percentiles"))
    _check_outputs(outputs, inputs=[train, new], force=force)
    estimator = conformal_model(
        model,
        percentiles=percentiles,
        adjustment=adjustment,
        conformal_set=conformal_set,
        censoring=censoring,
        seed=seed,
    )
    columns = Columns(time, event, id_column, tuple(drop or ()))
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            tables = read_tables(train, new, columns)
            _warn_of_formulas(tables, outputs)
        with steps.follow("Training, conformalizing"):
            train_model(estimator, tables, model)
        predictor = Predictor(estimator, tables.X_new, tables.labels, tables.y_new)
        with steps.step("Predicting, writing", total=len(tables.X_new)) as advance:
            for n_done in _write(predictor, outputs):
                advance(n_done)
    if not quiet:
        print_summary(tables, model, predictor, outputs)


def _check_outputs(
    outputs: tuple[Path, Path], *, inputs: list[Path], force: bool
) -> None:
    if outputs[0].resolve() == outputs[1].resolve():
        raise InvalidInput(f"--out and --percentiles-out are the same: {outputs[0]}")
    for path in outputs:
        check_writable(path, inputs=inputs, force=force)


def _warn_of_formulas(tables: Tables, outputs: tuple[Path, Path]) -> None:
    # They stay as they are: a changed id would no longer find its subject.
    n = formulas(tables.labels)
    if n and any(table_suffix(path).startswith(".csv") for path in outputs):
        warn(
            f"{n} ids begin with =, +, - or @, which a spreadsheet may take for "
            "formulas; they are written as they are, so import the columns as text",
            UserWarning,
        )


def _write(predictor: Predictor, outputs: tuple[Path, Path]) -> Iterator[int]:
    """Predict and write block by block; yield how many rows each block had."""
    levels = predictor.model.levels_
    with writing_all(*outputs) as (curves, percentiles):
        for prediction in predictor.blocks():
            curves.write(curve_table(prediction))
            percentiles.write(percentile_table(prediction, levels))
            yield len(prediction.labels)
