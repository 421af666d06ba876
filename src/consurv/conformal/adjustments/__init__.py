"""Kinds of adjustment by name: what is done to the raw curves. One kind a file."""

from __future__ import annotations

from consurv._registry import resolve
from consurv.conformal.adjustments.adjustment import Adjustment
from consurv.conformal.adjustments.level import LevelAdjustment
from consurv.conformal.adjustments.log_time import LogTimeAdjustment
from consurv.conformal.adjustments.recalibrated import RecalibratedAdjustment
from consurv.conformal.adjustments.time import TimeAdjustment
from consurv.errors import InvalidInput

__all__ = [
    "ADJUSTMENTS",
    "Adjustment",
    "LevelAdjustment",
    "LogTimeAdjustment",
    "RecalibratedAdjustment",
    "TimeAdjustment",
    "adjustment_kind",
    "register_adjustment",
]

ADJUSTMENTS: dict[str, type[Adjustment]] = {
    kind.kind: kind
    for kind in (
        TimeAdjustment,
        LogTimeAdjustment,
        LevelAdjustment,
        RecalibratedAdjustment,
    )
}


def register_adjustment(kind: type[Adjustment]) -> type[Adjustment]:
    """Make a kind of one's own known by its name; a class decorator.

    ``ConformalSurvival(adjustment=...)``, reports, stored files and the command then
    know it.

    Parameters
    ----------
    kind : class derived from Adjustment

    Raises
    ------
    InvalidInput
        If it is something else, or another kind has that name.
    """
    if not (isinstance(kind, type) and issubclass(kind, Adjustment)):
        raise InvalidInput(f"{kind!r} is no class derived from Adjustment")
    known = ADJUSTMENTS.setdefault(kind.kind, kind)
    if known is not kind and known.__qualname__ != kind.__qualname__:
        raise InvalidInput(
            f"there is another adjustment {kind.kind!r}: {known.__qualname__}; choose "
            "another name"
        )
    ADJUSTMENTS[kind.kind] = kind  # a notebook's cell is run again
    return kind


def adjustment_kind(name: str) -> type[Adjustment]:
    """Return the kind that a name stands for.

    Examples
    --------
    >>> adjustment_kind("level").__name__
    'LevelAdjustment'
    """
    return resolve(ADJUSTMENTS, name, "adjustment")
