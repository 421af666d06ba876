"""Which levels the events of a conformal set can tell."""

from __future__ import annotations

from consurv._checks import Float

__all__ = ["ENOUGH_EVENTS", "listed", "unidentified_text"]

# So many events at or beyond q' identify a level, however many subjects there are.
ENOUGH_EVENTS = 5


def listed(levels: Float) -> str:
    """Return levels as a reader would list them.

    Examples
    --------
    >>> import numpy as np
    >>> listed(np.array([0.05, 0.1]))
    '0.05, 0.1'
    """
    return ", ".join(f"{level:g}" for level in levels)


def unidentified_text(
    levels: Float, what: str, on: str = "what the censoring rule assumes"
) -> str:
    """Return the warning that the data do not tell the numbers of some levels."""
    return (
        "too few events lie at or beyond the adjusted percentile times at the levels "
        f"{listed(levels)}: there the {what} rest on {on} of times that nobody saw"
    )
