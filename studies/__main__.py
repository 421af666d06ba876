"""``consurv reproduce``: the experiments of the paper, and the report on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import joblib
import typer
from rich.text import Text

from consurv._registry import resolve
from consurv.cli.console import guarded, notes, print_note, stderr, stdout
from consurv.cli.live import Live
from consurv.errors import InvalidInput, MissingDependency
from consurv.experiments import StudyConfig, read_config, run
from consurv.experiments.named import known_names, takes
from consurv.experiments.names import STUDIES
from consurv.experiments.sources import quick_names

__all__ = ["reproduce"]

reproduce = typer.Typer(
    help="Run the experiments of the paper; a run that was stopped goes on.",
    no_args_is_help=True,
)

_ABOUT = {
    "main": "Seven models and Kaplan-Meier on every dataset: raw, CSD, auto, CiPOT.",
    "objective": "A log-normal network: calibration losses against CSD.",
    "ablation-censoring": "What a censored subject contributes: all rules, and CiPOT.",
    "ablation-conformal-set": "Which subjects set the adjustment.",
    "ablation-percentiles": "How many percentile levels: 9, 19, 39, 49, 99.",
    "cost": "Time and memory of conformalizing; truest with --jobs 1.",
    "all": "All six studies; each model is trained once.",
}
_QUICK_SEEDS = 2


@dataclass(frozen=True)
class _Asked:
    """What the command line says about what to run; None leaves it to the file."""

    datasets: str | None
    models: str | None
    seeds: int | None
    percentiles: int | None
    time_limit: float | None
    config: Path | None
    quick: bool

    def configs(self, study: str) -> list[StudyConfig]:
        """Return the configuration of a study, or of all that know the models."""
        if study != "all":
            return [self._config(study, _names(self.models))]
        names = _names(self.models)
        if names is None:
            return [self._config(name, None) for name in STUDIES]
        known = {name: name for study in STUDIES for name in known_names(study)}
        for name in names:
            if not any(takes(study, name) for study in STUDIES):
                resolve(known, name, "model")
        own = {s: [name for name in names if takes(s, name)] for s in STUDIES}
        return [self._config(s, names) for s, names in own.items() if names]

    def _config(self, study: str, models: list[str] | None) -> StudyConfig:
        values: dict[str, Any] = {}
        if self.quick:
            values = {"datasets": quick_names(), "seeds": _QUICK_SEEDS}
        if self.config is not None:
            values |= read_config(self.config, study)
        given = {
            "datasets": _names(self.datasets),
            "models": models,
            "seeds": self.seeds,
            "percentiles": self.percentiles,
            "time_limit": self.time_limit,
        }
        values |= {key: value for key, value in given.items() if value is not None}
        return StudyConfig(study, **values)


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
    ) -> None:
        asked = _Asked(datasets, models, seeds, percentiles, time_limit, config, quick)
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
                _write_report(out)
            except MissingDependency as error:  # the records are what took long
                print_note(f"no tables and figures are written: {error}")

    verb.__doc__ = _ABOUT[study]
    return verb


def report(
    folder: Annotated[Path, typer.Argument(help="A folder that a study wrote.")],
) -> None:
    """Make tables and figures from stored records alone."""
    if not (folder / "records").is_dir():
        raise InvalidInput(
            f"{folder} holds no records; run a study first, such as `consurv "
            f"reproduce main --out {folder}`"
        )
    with notes():
        _write_report(folder)


def _write_report(folder: Path) -> None:
    from consurv.experiments.summary import write_summary

    written = write_summary(folder)
    text = Text.assemble(f"{len(written)} files in ", (str(folder.resolve()), "bold"))
    stdout().print(text, soft_wrap=True)


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


for _study in _ABOUT:
    reproduce.command(_study)(guarded(_verb(_study)))
reproduce.command()(guarded(report))
