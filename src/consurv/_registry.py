"""Choices by name: a dictionary, and an error that lists its keys."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from consurv.errors import InvalidInput

__all__ = ["resolve"]

T = TypeVar("T")


def resolve(registry: Mapping[str, T], name: str, what: str) -> T:
    """Return the entry called *name*; the case of the letters does not matter.

    Parameters
    ----------
    registry : mapping of str to object
    name : str
    what : str
        What is being chosen, for the message.

    Examples
    --------
    >>> resolve({"margin": 1, "uncensored": 2}, "Margin", "censoring rule")
    1
    >>> resolve({"margin": 1, "uncensored": 2}, "margn", "censoring rule")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: unknown censoring rule 'margn', did you mean \
'margin'? Choose one of: margin, uncensored
    """
    by_lower = {key.lower(): value for key, value in registry.items()}
    if isinstance(name, str) and name.lower() in by_lower:
        return by_lower[name.lower()]
    close = get_close_matches(str(name).lower(), list(by_lower), n=1)
    hint = f", did you mean {close[0]!r}?" if close else "."
    raise InvalidInput(
        f"unknown {what} {name!r}{hint} Choose one of: {', '.join(registry)}"
    )
