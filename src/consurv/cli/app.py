"""The verbs of the command put together."""

from __future__ import annotations

from typing import Annotated

import typer

from consurv.cli.calibrate import calibrate
from consurv.cli.conformalize import conformalize
from consurv.cli.console import guarded, show_tracebacks
from consurv.cli.datasets import datasets
from consurv.cli.demo import demo
from consurv.cli.federate import federate
from consurv.cli.info import info
from consurv.cli.moved import ANY_ARGUMENTS, reproduce
from consurv.cli.predict import predict
from consurv.cli.report import report
from consurv.cli.version import version

__all__ = ["app"]

app = typer.Typer(
    help="Calibrated survival curves from any survival model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Boxes and columns of rich leave 24 of 80 characters for the words.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an error came from.")
    ] = False,
) -> None:
    """Calibrated survival curves from any survival model."""
    show_tracebacks(traceback)


for _verb in (demo, calibrate, conformalize, predict, info, report, version):
    app.command()(guarded(_verb))
app.add_typer(datasets, name="datasets")
app.add_typer(federate, name="federate")
app.command(hidden=True, context_settings=ANY_ARGUMENTS)(guarded(reproduce))
