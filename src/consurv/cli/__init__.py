"""The ``consurv`` command."""

from __future__ import annotations

import sys

from consurv.errors import MissingDependency

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process."""
    try:
        from consurv.cli.app import app
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("rich", "typer"):
            raise
        sys.stderr.write(f"error: {MissingDependency(library, 'cli')}\n")
        sys.exit(2)
    app(prog_name="consurv")
