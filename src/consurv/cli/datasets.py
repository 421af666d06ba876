"""``consurv datasets``: what there is, what is here, and fetching the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from consurv.cli.console import Steps, guarded, stdout
from consurv.datasets import describe_datasets
from consurv.datasets.fetch import BASE_URL, UPSTREAM
from consurv.datasets.fetch import fetch as fetch_file

__all__ = ["datasets"]

datasets = typer.Typer(help="List the datasets of the paper, or fetch one.")


@datasets.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List the datasets of the paper, or fetch one."""
    if context.invoked_subcommand is None:
        guarded(_print_list)()


def _print_list() -> None:
    table = Table(title="Datasets", row_styles=["", "dim"])
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("subjects", justify="right", no_wrap=True)
    table.add_column("censored", justify="right", no_wrap=True)
    for heading in ("source", "licence", "here, or how to get it"):
        table.add_column(heading, overflow="fold")
    for name, row in describe_datasets().iterrows():
        here = "[green]here[/]" if row["here"] else escape(row["how_to_get"])
        texts = (escape(row["source"]), escape(row["licence"]), here)
        table.add_row(str(name), f"{row['n']:,}", f"{row['censored']:.2f}%", *texts)
    stdout().print(table)


def fetch(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(UPSTREAM)}.")],
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder to keep the file in. By default CONSURV_CACHE or the user's "
            "cache folder, where the datasets are looked for."
        ),
    ] = None,
    base_url: Annotated[
        str, typer.Option(help="What serves the file in place of GitHub.")
    ] = BASE_URL,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Fetch a dataset from its source, check it and keep it.

    A transfer that was cut off goes on where it stopped.
    """
    with Steps(quiet) as steps, steps.step(f"Fetching {name}", total=100) as advance:
        shown = 0

        def show(done: int, total: int) -> None:
            nonlocal shown
            percent = 100 * done // total
            advance(percent - shown)
            shown = percent

        path = fetch_file(name, cache, base_url=base_url, progress=show)
    if not quiet:
        stdout().print(f"{path.stem} is whole: {path}", soft_wrap=True)


datasets.command()(guarded(fetch))
