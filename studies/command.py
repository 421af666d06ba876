"""The command of the studies: ``python -m studies``, and the report on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import joblib
import typer
from rich.text import Text

from consurv.cli.console import (
    guarded,
    notes,
    print_note,
    show_tracebacks,
    stderr,
    stdout,
)
from consurv.errors import InvalidInput, MissingDependency
from studies.asked import Asked
from studies.live import Live
from studies.runner import run

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,  # a shell completes no `python -m`
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Force = Annotated[
    bool, typer.Option("--force", help="Replace files that no study wrote.")
]
_ABOUT = {
    "main": "Seven models and Kaplan-Meier on every dataset: raw, CSD, auto, CiPOT.",
    "objective": "A log-normal network: calibration losses against CSD.",
    "ablation-censoring": "What a censored subject contributes: all rules, and CiPOT.",
    "ablation-conformal-set": "Which subjects set the adjustment.",
    "ablation-percentiles": "How many percentile levels: 9, 19, 39, 49, 99.",
    "cost": "Time and memory of conformalizing; truest with --jobs 1.",
    "all": "All six studies; each model is trained once.",
}


@app.callback()
def options(
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an error came from.")
    ] = False,
) -> None:
    """Run the experiments of the paper; a run that was stopped goes on."""
    show_tracebacks(traceback)


def _verb(study: str) -> Callable[..., None]:
    """Return the command that runs a study."""

    def verb(
        datasets: Annotated[
            str | None,
            typer.Option(
                help="Names separated by commas, or public, simulated, all. By default "
                "the public ones that are here (cost: the simulated ones too)."
            ),
        ] = None,
        models: Annotated[
            str | None,
            typer.Option(
                help="Names separated by commas. By default the paper's; main always "
                "has Kaplan-Meier beside them."
            ),
        ] = None,
        seeds: Annotated[
            int | None,
            typer.Option(min=1, help="3 means the seeds 0, 1, 2. By default 10."),
        ] = None,
        jobs: Annotated[
            int | None,
            typer.Option(min=1, help="Processes. By default one for each core."),
        ] = None,
        out: Annotated[
            Path, typer.Option(help="Folder of records, tables and figures.")
        ] = Path("results"),
        quick: Annotated[
            bool,
            typer.Option("--quick", help="Three small datasets and two seeds."),
        ] = False,
        dask: Annotated[
            str | None,
            typer.Option(
                metavar="ADDRESS", help="Send the cells to this Dask scheduler."
            ),
        ] = None,
        config: Annotated[
            Path | None,
            typer.Option(help="TOML file; options given here override it."),
        ] = None,
        time_limit: Annotated[
            float | None,
            typer.Option(min=0.1, help="Seconds for a cell. By default 1200."),
        ] = None,
        percentiles: Annotated[
            int | None,
            typer.Option(min=1, max=999, help="Number of levels. By default 19."),
        ] = None,
        stratify: Annotated[
            str | None,
            typer.Option(
                help="What splits are stratified on: event, the default, or "
                "event+time, as in 0.1.0; paper: the very rows of the authors' code."
            ),
        ] = None,
        preset: Annotated[
            str | None,
            typer.Option(
                help="paper: training, tails, splits, metrics and conformal step of "
                "the authors' released code; --stratify and the options below override "
                "it one at a time."
            ),
        ] = None,
        training: Annotated[
            str | None,
            typer.Option(help="Whose models and losses: ours, the default, or paper."),
        ] = None,
        tails: Annotated[
            str | None,
            typer.Option(
                help="How parametric curves end: law, the default, or line, at the "
                "last training time."
            ),
        ] = None,
        metrics: Annotated[
            str | None,
            typer.Option(help="Whose KM-cal and IBS: ours, the default, or paper."),
        ] = None,
        conformal: Annotated[
            str | None,
            typer.Option(
                help="Whose interpolation, draws for censored subjects and ranks: "
                "ours, the default, or paper, which the rule kaplan-meier alone has."
            ),
        ] = None,
        time_scale: Annotated[
            str | None,
            typer.Option(
                help="Of the log-normal network with --training paper: coded, with "
                "the authors' slip, or corrected."
            ),
        ] = None,
        again: Annotated[
            bool,
            typer.Option("--again", help="Make records anew; stored fits are used."),
        ] = False,
        retry_failed: Annotated[
            bool, typer.Option("--retry-failed", help="Try failed cells again.")
        ] = False,
        no_report: Annotated[
            bool, typer.Option("--no-report", help="No tables and figures afterwards.")
        ] = False,
        force: Force = False,
    ) -> None:
        asked = Asked(
            datasets,
            models,
            seeds,
            percentiles,
            time_limit,
            config,
            quick,
            stratify,
            preset,
            training,
            tails,
            metrics,
            conformal,
            time_scale,
        )
        configs = asked.configs(study)
        try:
            with notes(), Live() as live:
                result = run(
                    configs,
                    out,
                    jobs=jobs or joblib.cpu_count(),
                    dask=dask,
                    again=again,
                    retry_failed=retry_failed,
                    force=force,
                    observer=live,
                )
        except KeyboardInterrupt:
            stderr().print(
                "stopped; the same command goes on where it was", soft_wrap=True
            )
            raise
        stdout().print(Text(str(result)), soft_wrap=True)
        if not no_report:
            try:
                _write_report(out, force)
            except MissingDependency as error:  # the records are what took long
                print_note(f"no tables and figures are written: {error}")
        told = out / "tables" / "failures.md"
        if result.n_failed and told.exists():
            stdout().print(Text(f"why some failed: {told}"), soft_wrap=True)

    verb.__doc__ = _ABOUT[study]
    return verb


def report(
    folder: Annotated[Path, typer.Argument(help="A folder that a study wrote.")],
    force: Force = False,
) -> None:
    """Make tables and figures from stored records alone."""
    if not (folder / "records").is_dir():
        raise InvalidInput(
            f"{folder} holds no records; run a study first, such as `python -m "
            f"studies main --out {folder}`"
        )
    with notes():
        _write_report(folder, force)


def _write_report(folder: Path, force: bool) -> None:
    from studies.summary import write_summary

    written = write_summary(folder, force=force)
    text = Text.assemble(f"{len(written)} files in ", (str(folder.resolve()), "bold"))
    stdout().print(text, soft_wrap=True)


for _study in _ABOUT:
    app.command(_study)(guarded(_verb(_study)))
app.command()(guarded(report))
