"""``consurv calibrate``: tables in, calibrated curves out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from sklearn.pipeline import make_pipeline

from consurv.cli.console import Steps, notes
from consurv.cli.predicting import Predictor, curve_table, percentile_table
from consurv.cli.reading import Columns, Tables, read_tables
from consurv.cli.summary import print_summary
from consurv.cli.writing import beside, check_writable, writing
from consurv.conformal import ConformalSurvival
from consurv.datasets import TableEncoder
from consurv.errors import ConsurvError, InvalidInput
from consurv.models import make_model, model_name, model_names

__all__ = ["calibrate"]


def calibrate(
    train: Annotated[
        Path, typer.Argument(help="Subjects with outcomes: .csv, .csv.gz or .parquet.")
    ],
    new: Annotated[
        Path, typer.Argument(help="Subjects to predict, with the same features.")
    ],
    time: Annotated[str, typer.Option(help="Column with the observed times, > 0.")],
    event: Annotated[str, typer.Option(help="Column with 1 = event, 0 = censored.")],
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
    model: Annotated[
        str, typer.Option(help=f"One of: {', '.join(model_names())}.")
    ] = "weibull-aft",
    percentiles: Annotated[
        int, typer.Option(min=1, max=999, help="Number of percentile levels.")
    ] = 19,
    conformal_set: Annotated[
        str,
        typer.Option(
            help="Subjects that set the adjustment: auto, train, validation, "
            "train+validation, half or cross."
        ),
    ] = "auto",
    censoring: Annotated[
        str,
        typer.Option(
            help="What censored subjects contribute: kaplan-meier, margin, "
            "pseudo-observation or uncensored."
        ),
    ] = "kaplan-meier",
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="Column that names the subjects; not a feature."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="Column that is not a feature; may be given repeatedly."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of splits and models.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite results that exist.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Train a model, conformalize it and write calibrated survival curves.

    If the table of new subjects has the time and event columns too, the curves are
    also scored on them, before and after.
    """
    model = model_name(model)
    outputs = (out, percentiles_out or beside(out, "percentiles"))
    _check_outputs(outputs, inputs=[train, new], force=force)
    estimator = ConformalSurvival(
        make_pipeline(TableEncoder(), make_model(model, seed)),
        percentiles=percentiles,
        conformal_set=conformal_set,
        censoring=censoring,
        random_state=seed,
    )
    columns = Columns(time, event, id_column, tuple(drop or ()))
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            tables = read_tables(train, new, columns)
        with steps.step("Training, conformalizing"):
            _train(estimator, tables, model)
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


def _train(estimator: ConformalSurvival, tables: Tables, name: str) -> None:
    try:
        estimator.fit(tables.X, tables.y)
    except ConsurvError:
        raise
    except (ValueError, ArithmeticError) as error:  # as foreign models fail
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise ConsurvError(
            f"{name} could not be trained on this table; another --model may do. It "
            f"said: {type(error).__name__}: {first_line}"
        ) from error


def _write(predictor: Predictor, outputs: tuple[Path, Path]) -> Iterator[int]:
    """Predict and write block by block; yield how many rows each block had."""
    levels = predictor.model.levels_
    with writing(outputs[0]) as curves, writing(outputs[1]) as percentiles:
        for prediction in predictor.blocks():
            curves.write(curve_table(prediction))
            percentiles.write(percentile_table(prediction, levels))
            yield len(prediction.labels)
