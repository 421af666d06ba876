"""``consurv calibrate``: tables in, calibrated curves out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from consurv.cli.columns import Columns
from consurv.cli.console import Steps, notes, stdout
from consurv.cli.folder import Run, check_no_table, fill_folder
from consurv.cli.outputs import check_outputs, warn_of_formulas, write_predictions
from consurv.cli.predicting import N_TIMES, Predictor
from consurv.cli.reading import read_tables
from consurv.cli.streaming import Parts, is_folder
from consurv.cli.summary import print_summary
from consurv.cli.training import (
    AdjustmentOption,
    CensoringOption,
    ConformalSetOption,
    DropOption,
    EventOption,
    ForceOption,
    GroupsOption,
    IdOption,
    ModelOption,
    PercentilesOption,
    QuietOption,
    SeedOption,
    TimeOption,
    TimeUnitOption,
    TrainArgument,
    UnseenGroupOption,
    WeightOption,
    conformal_model,
    train_model,
)
from consurv.cli.writing import beside, check_place
from consurv.keep import check_libraries
from consurv.models import model_name

__all__ = ["calibrate"]


def calibrate(
    train: TrainArgument,
    new: Annotated[
        Path,
        typer.Argument(
            help="Subjects to predict, with the same features; with a folder as --out "
            "a pattern such as 'new/*.parquet', too."
        ),
    ],
    time: TimeOption,
    event: EventOption,
    out: Annotated[
        Path,
        typer.Option(
            help=f"Curves: survival of each subject at {N_TIMES} times up to the end "
            "of follow-up. .csv or .parquet. Or a folder: a part with percentile times "
            "for each Parquet file; a command that was interrupted goes on "
            "where it was."
        ),
    ],
    percentiles_out: Annotated[
        Path | None,
        typer.Option(
            help="Percentile times: a row per subject. By default beside --out, as "
            "NAME.percentiles.SUFFIX."
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Keep the calibrated model for consurv predict: m.consurv."),
    ] = None,
    model: ModelOption = "weibull-aft",
    percentiles: PercentilesOption = 19,
    adjustment: AdjustmentOption = "auto",
    conformal_set: ConformalSetOption = "auto",
    censoring: CensoringOption = "auto",
    time_unit: TimeUnitOption = None,
    id_column: IdOption = None,
    drop: DropOption = None,
    groups: GroupsOption = None,
    unseen_group: UnseenGroupOption = "error",
    weight: WeightOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train and conformalize a model and write calibrated curves.

    If the table of new subjects has the time and event columns too, the curves are
    also scored on them, before and after.
    """
    model = model_name(model)
    columns = Columns(time, event, id_column, tuple(drop or ()), groups, weight)
    how: dict[str, Any] = {
        "percentiles": percentiles,
        "adjustment": adjustment,
        "conformal_set": conformal_set,
        "censoring": censoring,
        "seed": seed,
        "time_unit": time_unit,
        "unseen_group": unseen_group,
    }
    if is_folder(out):
        check_no_table(percentiles_out)
        run = Run(train, model, how, columns)
        fill_folder(run, Parts.of(new, out, id_column), save, force, quiet)
        return
    outputs = (out, percentiles_out or beside(out, "percentiles"))
    check_outputs(outputs, inputs=[train, new], force=force)
    if save is not None:
        check_libraries()
        check_place(save, inputs=[train, new, *outputs], force=force)
    estimator = conformal_model(model, **how)
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            tables = read_tables(train, new, columns)
            warn_of_formulas(tables.labels, outputs)
        with steps.follow("Training, conformalizing"):
            train_model(estimator, tables.X, tables.y, model, tables.groups)
        if save is not None:
            estimator.save(save)
        predictor = Predictor(estimator, tables.X_new, tables.labels, tables.y_new)
        with steps.step("Predicting, writing", total=len(tables.X_new)) as advance:
            for n_done in write_predictions(predictor, outputs):
                advance(n_done)
    if not quiet:
        print_summary(tables, model, predictor, outputs)
        if save is not None:
            stdout().print(Text(f"Model: {save}"), soft_wrap=True)
