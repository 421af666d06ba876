"""``consurv conformalize``: curves of any program in, calibrated curves out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.text import Text

from consurv.cli.columns import Columns
from consurv.cli.console import Steps, notes, stdout
from consurv.cli.joining import Known, groups_of
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
    UnseenGroupOption,
    checked_unseen,
)
from consurv.conformal import ConformalSurvival, save_adjustment
from consurv.conformal.reading.curve_rows import CurveRows
from consurv.datasets.curve_files import read_curves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.report.html import check_libraries, report_on

__all__ = ["conformalize"]

# The feature of subjects of whom only a curve is known: its number.
_ROW = "row of the curves"
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
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            "--group",
            help="Column of --outcomes with groups, such as sites: each gets an "
            "adjustment of its own, as far as the data tell it from that of all.",
        ),
    ] = None,
    new_groups: Annotated[
        Path | None,
        typer.Option(
            help="Groups of the new subjects: a table with the id and the column of "
            "--groups. By default --outcomes, where these are known, too."
        ),
    ] = None,
    unseen_group: UnseenGroupOption = "error",
    seed: SeedOption = 0,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Calibrate the curves of any model, from files alone.

    If --outcomes tells of all new subjects, too, they are scored and reported on.
    """
    outputs = (out / _NAMES[0], out / _NAMES[1])
    _check_folder(out, force)
    if new_groups is not None and groups is None:
        raise InvalidInput("--new-groups needs --groups, the name of its column")
    unseen = checked_unseen(unseen_group)
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            known, asked = (
                read_curves(path, id=id_column, interpolation=interpolation)
                for path in (curves, new)
            )
            columns = Columns(time, event, id_column, groups=groups, weight=weight)
            table = Known.read(outcomes, columns)
            y = table.outcome_of(known, curves.name)
            y_new = table.outcome_if_known(asked)
            label = table.groups_of(known, curves.name)
            label_new = (
                table.groups_of(asked, new.name)
                if new_groups is None
                else groups_of(new_groups, columns, asked, new.name)
            )
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
                unseen_group=unseen,
            ).conformalize(
                pd.DataFrame(rows.numbers(0), columns=[_ROW]),
                y,
                groups=None if label is None else pd.Series(label, name=groups),
            )
        X = pd.DataFrame(rows.numbers(1), columns=[_ROW])
        X = X if groups is None else X.assign(**{groups: label_new})
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
    if adjustment.groups is not None:
        say(Text(f"Groups: {adjustment.groups.told}"))
    print_scores(predictor)
    for path in written:
        say(Text(str(path)), soft_wrap=True)


def _can_report() -> bool:
    try:
        check_libraries()
    except ImportError:
        return False
    return True
