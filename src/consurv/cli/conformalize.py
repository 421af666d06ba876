"""``consurv conformalize``: curves of any program in, calibrated curves out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.text import Text

from consurv._warnings import warn
from consurv.cli.columns import Columns
from consurv.cli.console import Steps, notes, stdout
from consurv.cli.outputs import warn_of_formulas, write_predictions
from consurv.cli.predicting import Predictor
from consurv.cli.summary import print_scores
from consurv.cli.training import (
    AdjustmentOption,
    CensoringOption,
    ForceOption,
    PercentilesOption,
    QuietOption,
    SeedOption,
    TimeUnitOption,
)
from consurv.conformal import ConformalSurvival, save_adjustment
from consurv.conformal.reading.curve_rows import CurveRows
from consurv.datasets.curve_files import CurveFile, ids_of, read_curves
from consurv.datasets.table import read_table
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.report.html import check_libraries, report_on

__all__ = ["conformalize"]

_NAMES = ("curves.csv", "percentiles.csv", "adjustment.json", "report.html")


def conformalize(
    curves: Annotated[
        Path,
        typer.Option(
            help="Curves of subjects with outcomes, whom the model never saw: wide (a "
            "column for each time), long (id, time, survival) or percentile times "
            "(t_at_0.9, ...). .csv or .parquet."
        ),
    ],
    outcomes: Annotated[Path, typer.Option(help="Their outcomes: id, time and event.")],
    new: Annotated[Path, typer.Option(help="Curves of the subjects to calibrate.")],
    out: Annotated[Path, typer.Option(help="Folder for the results.")],
    id_column: Annotated[
        str, typer.Option("--id", help="Column that names the subjects.")
    ] = "id",
    time: Annotated[str, typer.Option(help="Column with the observed times.")] = "time",
    event: Annotated[str, typer.Option(help="Column with 1 = event.")] = "event",
    interpolation: Annotated[
        str,
        typer.Option(help="Between the times of curves: linear, step (Cox) or pchip."),
    ] = "linear",
    percentiles: PercentilesOption = 19,
    adjustment: AdjustmentOption = "auto",
    censoring: CensoringOption = "auto",
    time_unit: TimeUnitOption = None,
    weight: Annotated[
        str | None,
        typer.Option(
            help="Column of --outcomes that says how many subjects each stands for, 0 "
            "for none."
        ),
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Calibrate the curves of any model, from files alone.

    If --outcomes tells of all new subjects, too, they are scored and reported on.
    """
    outputs = (out / _NAMES[0], out / _NAMES[1])
    _check_folder(out, force)
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            known, asked = (
                read_curves(path, id=id_column, interpolation=interpolation)
                for path in (curves, new)
            )
            columns = Columns(time, event, id_column, weight=weight)
            table = _outcomes(outcomes, columns)
            y = _joined(known, table, curves.name, outcomes.name)
            y_new = _perhaps(asked, table, outcomes.name)
            labels = pd.DataFrame({"subject": range(len(asked.ids))})
            labels[id_column] = asked.ids.astype("string")
            warn_of_formulas(labels, outputs)
        out.mkdir(parents=True, exist_ok=True)
        with steps.step("Conformalizing"):
            rows = CurveRows(known.curves, asked.curves)
            model = ConformalSurvival(
                rows,
                percentiles=percentiles,
                adjustment=adjustment,
                censoring=censoring,
                random_state=seed,
                time_unit=time_unit,
            ).conformalize(rows.numbers(0), y)
        X = pd.DataFrame(rows.numbers(1))
        predictor = Predictor(model, X, labels, y_new)
        with steps.step("Writing", total=len(X)) as advance:
            for n_done in write_predictions(predictor, outputs):
                advance(n_done)
            save_adjustment(model.adjustment_, out / "adjustment.json")
        written = [*outputs, out / "adjustment.json"]
        if y_new is not None and _can_report():
            with steps.step("Reporting"):
                report_on(
                    model,
                    X,
                    y_new,
                    out / "report.html",
                    y_train=None,
                    title=f"Curves of {new.name}",
                    n_bootstrap=200,
                    random_state=seed,
                )
            written.append(out / "report.html")
    if not quiet:
        _print_summary(predictor, y.counting, written)


def _check_folder(out: Path, force: bool) -> None:
    """Refuse a folder with results in it; it is made once the tables are read."""
    if out.exists() and not out.is_dir():
        raise InvalidInput(f"--out {out} is a file; give a folder")
    there = [name for name in _NAMES if (out / name).exists()]
    if there and not force:
        raise InvalidInput(
            f"{out / there[0]} exists already; give another folder or --force"
        )


def _print_summary(predictor: Predictor, y: Outcome, written: list[Path]) -> None:
    say, adjustment = stdout().print, predictor.model.adjustment_
    weighed = f" ({y.weighing.told})" if y.weighing else ""
    say(
        f"{len(y):,} subjects with {y.n_events:,} events{weighed} set the adjustment "
        f"({adjustment.kind}) of {len(predictor.X):,} new ones."
    )
    print_scores(predictor)
    for path in written:
        say(Text(str(path)), soft_wrap=True)


def _outcomes(path: Path, columns: Columns) -> pd.DataFrame:
    frame = read_table(path)
    columns.check(frame, path.name)
    ids = ids_of(frame, str(columns.id), path.name)
    if not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        raise InvalidInput(
            f"{path.name} has the id {twice!r} twice; each subject has one outcome"
        )
    y = columns.outcome(frame, path.name)
    found = {"time": y.time, "event": y.event, "weight": y.weights}
    return pd.DataFrame(found, index=ids)


def _joined(file: CurveFile, table: pd.DataFrame, name: str, source: str) -> Outcome:
    """Return the outcomes of the subjects of a file, in their order."""
    lacking = file.ids.difference(table.index, sort=False)
    if len(lacking):
        raise InvalidInput(
            f"{source} lacks {len(lacking)} of the {len(file.ids)} ids of {name}, the "
            f"first {lacking[0]!r}; the ids must be the same in both"
        )
    rows = table.loc[file.ids]
    return Outcome(*(rows[part].to_numpy() for part in ("time", "event", "weight")))


def _perhaps(file: CurveFile, table: pd.DataFrame, source: str) -> Outcome | None:
    """Return the outcomes of new subjects if all are known."""
    n = int(file.ids.isin(table.index).sum())
    if n == len(file.ids):
        return _joined(file, table, "", source)
    if n:
        warn(
            f"{source} tells of {n} of the {len(file.ids)} new subjects; they are not "
            "scored",
            UserWarning,
        )
    return None


def _can_report() -> bool:
    try:
        check_libraries()
    except ImportError:
        return False
    return True
