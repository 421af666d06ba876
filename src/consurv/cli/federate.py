"""``consurv federate``: sites calibrate one model together, and no row leaves one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from consurv.cli.console import Steps, guarded, notes, stdout
from consurv.cli.predict import ModelFile, TrustOption
from consurv.cli.training import EventOption, ForceOption, QuietOption, TimeOption
from consurv.conformal.reading.inputs import read_levels
from consurv.datasets.table import read_table
from consurv.distributed.federated import Plan, answer
from consurv.distributed.federated.folder import (
    next_file,
    start_folder,
    summary_name,
    write_once,
)
from consurv.distributed.federated.papers import digest, read_paper
from consurv.distributed.federated.plan import ADJUSTMENT_NAMES, RULE_NAMES
from consurv.errors import InvalidInput
from consurv.keep import read_manifest

__all__ = ["federate"]

federate = typer.Typer(
    help="Calibrate one model by several sites; no row leaves a site.",
    no_args_is_help=True,
)


def start(
    model: ModelFile,
    sites: Annotated[str, typer.Option(help="Names, such as north,south,east.")],
    out: Annotated[Path, typer.Option(help="Folder for questions and summaries.")],
    edges: Annotated[
        str,
        typer.Option(
            help="Times to which all times are moved up, such as 30,60,90,180; beyond "
            "the last they go on as wide. One number is a step."
        ),
    ],
    minimum: Annotated[
        int, typer.Option(min=1, help="No site tells of fewer subjects, but for none.")
    ] = 5,
    adjustment: Annotated[
        str, typer.Option(help=f"One of: {', '.join(ADJUSTMENT_NAMES)}.")
    ] = "time",
    censoring: Annotated[
        str, typer.Option(help=f"One of: {', '.join(RULE_NAMES)}.")
    ] = "kaplan-meier",
    percentiles: Annotated[
        int | None,
        typer.Option(min=1, max=999, help="Number of levels; as in the model."),
    ] = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the first question, which goes to all sites with the model.

    A saved model may already be calibrated; that is not used.
    """
    levels = read_manifest(model)["levels"]
    plan = Plan(
        sites=tuple(name.strip() for name in sites.split(",")),
        levels=tuple(levels if percentiles is None else read_levels(percentiles)),
        edges=_numbers(edges),
        minimum=minimum,
        adjustment=adjustment,
        censoring=censoring,
        model=digest(model),
    )
    path = start_folder(out, plan, force=force)
    _say(f"{path}: send it to {', '.join(plan.sites)}, with {model}", quiet)


def answer_question(
    question: Annotated[Path, typer.Argument(help="As the coordinator sent it.")],
    model: ModelFile,
    data: Annotated[
        Path, typer.Argument(help="The site's subjects: .csv, .csv.gz or .parquet.")
    ],
    site: Annotated[str, typer.Option(help="Which of the sites this is.")],
    time: TimeOption,
    event: EventOption,
    out: Annotated[
        Path | None,
        typer.Option(help="By default summary-ROUND-SITE.json beside the question."),
    ] = None,
    coarsen: Annotated[
        bool,
        typer.Option(
            "--coarsen",
            help="Merge neighbouring times of this site alone until no count lies "
            "below the minimum.",
        ),
    ] = False,
    minimum: Annotated[
        int, typer.Option(min=1, help="Refuse a question with a smaller minimum.")
    ] = 1,
    trust: TrustOption = False,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the summary of a site: counts on the lattice, and no row."""
    with notes(), Steps(quiet) as steps:
        asked = read_paper(question)
        with steps.step("Reading"):
            table = read_table(data)
        with steps.step("Counting"):
            summary = answer(
                asked,
                model,
                table,
                site=site,
                time=time,
                event=event,
                coarsen=coarsen,
                minimum=minimum,
                trust=trust,
            )
        target = out or question.parent / summary_name(asked, site)
        path = write_once(target, summary, force=force)
    _say(f"{path}: send it back to the coordinator", quiet)


def go_on(
    folder: Annotated[
        Path, typer.Argument(help="With the questions and all summaries so far.")
    ],
    model: ModelFile,
    out: Annotated[
        Path | None,
        typer.Option(help="The calibrated model; by default calibrated.consurv in it."),
    ] = None,
    trust: TrustOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the next question or, in the end, the calibrated model."""
    target = out or folder / "calibrated.consurv"
    if target.resolve() == model.resolve():
        raise InvalidInput(f"--out {target} is the model itself; give another name")
    with notes():
        path = next_file(folder, model, target, trust=trust)
    what = "the calibrated model" if path == target else "send it to all sites"
    _say(f"{path}: {what}", quiet)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput(
            f"--edges {text} must be numbers with commas between them, such as 30,60,90"
        ) from None


def _say(line: str, quiet: bool) -> None:
    if not quiet:
        stdout().print(Text(line), soft_wrap=True)


federate.command("start")(guarded(start))
federate.command("answer")(guarded(answer_question))
federate.command("next")(guarded(go_on))
