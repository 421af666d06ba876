"""Run the studies of the paper: ``python -m studies``, in the root of a clone."""

from __future__ import annotations

from consurv.cli import start

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process."""
    start("studies.command", "python -m studies")


if __name__ == "__main__":
    main()
