"""Warnings that point at the user's own line, however deep they arise."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from consurv.errors import CalibrationWarning

__all__ = ["warn"]

# Between the user's line and ours may stand pipelines, searches and parallel jobs.
_PLUMBING = frozenset({"consurv", "sklearn", "joblib", "contextlib", "functools"})


def warn(message: str, category: type[Warning] = CalibrationWarning) -> None:
    """Warn at the first line outside of consurv and of what scikit-learn puts around.

    Counted by hand, ``stacklevel`` goes wrong with every function that is put between,
    and Python 3.11 lacks ``skip_file_prefixes``.

    Parameters
    ----------
    message : str
    category : type of warning

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("few subjects")
    >>> caught[0].category.__name__, str(caught[0].message)
    ('CalibrationWarning', 'few subjects')
    """
    warnings.warn(message, category, stacklevel=_level(sys._getframe(1)))


def _level(frame: FrameType | None) -> int:
    """Return the stacklevel of the user's frame, seen from :func:`warn`."""
    level = 2
    while frame is not None and _package(frame) in _PLUMBING:
        frame, level = frame.f_back, level + 1
    return level


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
