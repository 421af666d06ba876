"""Which levels the events of a conformal set can tell."""

from __future__ import annotations

from consurv._checks import Float
from consurv._warnings import warn

__all__ = ["ENOUGH_EVENTS", "listed", "unidentified_text", "warn_of_ends"]

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


def warn_of_ends(ends: Float, follow_up: float) -> None:
    """Warn if late ends of intervals lie beyond the last time that anybody was seen.

    Percentile times alone get no such warning: of 19 levels the lowest often lie out
    there, which reports say once and nobody wants to read at every prediction.

    Warns
    -----
    CalibrationWarning
    """
    beyond = int((ends > follow_up).sum())
    if beyond:
        warn(
            f"{beyond:,} of {len(ends):,} intervals end beyond the follow-up of "
            f"{follow_up:.4g} (the latest at {ends.max():.4g}): so late nobody was "
            "seen, and these ends are extrapolated; choose a lower coverage"
        )
