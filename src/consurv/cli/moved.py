"""``consurv reproduce``, which has left the package: says where it went."""

from __future__ import annotations

import shlex

import typer

from consurv.errors import ConsurvError

__all__ = ["ANY_ARGUMENTS", "reproduce"]

# What `app.command` needs to pass on arguments that it does not know.
ANY_ARGUMENTS = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}


def reproduce(context: typer.Context) -> None:
    """Say how the paper's experiments are run now."""
    asked = shlex.join(context.args) or "main --quick"
    raise ConsurvError(
        "`consurv reproduce` is no longer part of the package; in a clone of the "
        f'repository run `make reproduce ARGS="{asked}"`'
    )
