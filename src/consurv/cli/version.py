"""``consurv version``: what is installed."""

from __future__ import annotations

import platform

from rich.table import Table

from consurv._versions import __version__, version_of
from consurv.cli.console import stdout

__all__ = ["version"]

# Extra -> the libraries that it brings, by their names on the package index.
_LIBRARIES = {
    "": ("numpy", "scipy", "pandas", "scikit-learn", "joblib"),
    "models": ("lifelines", "scikit-survival"),
    "deep": ("torch",),
    "datasets": ("survival", "SurvSet"),
    "cli": ("typer", "rich", "pyarrow"),
    "keep": ("skops", "safetensors"),
    "report": ("matplotlib", "jinja2"),
    "distributed": ("dask", "distributed"),
    "spark": ("pyspark",),
}


def version() -> None:
    """Show the versions of consurv, Python and its libraries."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("[bold]consurv[/]", f"[bold]{__version__}[/]")
    table.add_row("Python", f"{platform.python_version()} ({platform.system()})")
    for extra, libraries in _LIBRARIES.items():
        for library in libraries:
            table.add_row(library, _version_of(library, extra))
    stdout().print(table)


def _version_of(library: str, extra: str) -> str:
    missing = f"[yellow]not installed[/]: pip install 'consurv\\[{extra}]'"
    return version_of(library) or missing
