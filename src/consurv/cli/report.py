"""``consurv report``: tables in, a report on raw and calibrated curves out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from consurv.cli.by_risk import add_group_rows
from consurv.cli.columns import Columns
from consurv.cli.console import Steps, notes, stdout
from consurv.cli.reading import Tables, read_tables
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
from consurv.cli.writing import check_place
from consurv.datasets.table import load_table
from consurv.errors import InvalidInput
from consurv.models import model_name
from consurv.outcome import Outcome
from consurv.report.html import Report, check_libraries, report_on

__all__ = ["print_place", "report"]


def report(
    train: TrainArgument,
    test: Annotated[
        Path, typer.Argument(help="Other subjects with outcomes, to report on.")
    ],
    time: TimeOption,
    event: EventOption,
    out: Annotated[
        Path, typer.Option(help="The report, one file that needs nothing else: .html.")
    ] = Path("report.html"),
    model: ModelOption = "weibull-aft",
    title: Annotated[
        str | None, typer.Option(help="By default the names of model and table.")
    ] = None,
    percentiles: PercentilesOption = 19,
    adjustment: AdjustmentOption = "auto",
    conformal_set: ConformalSetOption = "auto",
    censoring: CensoringOption = "auto",
    n_bootstrap: Annotated[
        int, typer.Option(min=20, max=10_000, help="Replicates for the intervals.")
    ] = 200,
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
    """Train and conformalize a model and report on other subjects."""
    model = model_name(model)
    _check_out(out, inputs=[train, test], force=force)
    estimator = conformal_model(
        model,
        percentiles=percentiles,
        adjustment=adjustment,
        conformal_set=conformal_set,
        censoring=censoring,
        seed=seed,
        time_unit=time_unit,
        unseen_group=unseen_group,
    )
    columns = Columns(time, event, id_column, tuple(drop or ()), groups, weight)
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            tables = read_tables(train, test, columns)
            y = _outcomes(tables, test, columns)
        with steps.follow("Training, conformalizing"):
            train_model(estimator, tables.X, tables.y, model, tables.groups)
        with steps.step("Reporting"):
            written = report_on(
                estimator,
                tables.X_new,
                y,
                out,
                y_train=tables.y,
                title=title or f"{model} on {test.name}",
                n_bootstrap=n_bootstrap,
                random_state=seed,
            )
    if not quiet:
        _print_verdict(written)
        print_place(out)


def _print_verdict(written: Report) -> None:
    """Print the headline and calibration by risk, before and after."""
    console = stdout()
    console.print(Text(f"{written.verdict.headline}.", style="bold"))
    both = written.comparison.raw, written.comparison.calibrated
    table = Table(title="Calibration by risk")
    table.add_column()
    for heading in ("raw", "calibrated"):
        table.add_column(heading, justify="right")
    add_group_rows(table, [result.risk_calibration for result in both])
    console.print(table)


def print_place(path: Path) -> None:
    """Say where a report is."""
    # A path may look like markup, and is of use only in one piece.
    text = Text.assemble("Report: ", (str(path.resolve()), "bold"))
    stdout().print(text, soft_wrap=True)


def _check_out(out: Path, *, inputs: list[Path], force: bool) -> None:
    if out.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--out {out} is not a name for a report; end it in .html")
    check_place(out, inputs=inputs, force=force)
    check_libraries()


def _outcomes(tables: Tables, path: Path, columns: Columns) -> Outcome:
    """Return the outcomes of the subjects to report on, or say what they lack."""
    if tables.y_new is not None:
        return tables.y_new
    return load_table(path, time=columns.time, event=columns.event)[1]
