"""The ``consurv`` command."""

from __future__ import annotations

import sys
from importlib import import_module

__all__ = ["main", "start"]


def main() -> None:
    """Run the command with the arguments of this process."""
    start("consurv.cli.app", "consurv")


def start(module: str, name: str) -> None:
    """Run the ``app`` of a module; say what to install where its libraries lack.

    Parameters
    ----------
    module : str
    name : str
        What users call the command.
    """
    try:
        app = import_module(module).app
    except KeyboardInterrupt:  # the libraries take a while
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("rich", "typer"):
            raise
        from consurv.errors import MissingDependency  # brings scikit-learn along

        sys.stderr.write(f"error: {MissingDependency(library, 'cli')}\n")
        sys.exit(2)
    app(prog_name=name)
